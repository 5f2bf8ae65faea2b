import { queryOptions } from "@tanstack/react-query";
import type { OpenApiDocument } from "./openapi.ts";
import { send } from "./send.ts";

const FRESH_MS = 60_000;

/** The server's own description of its endpoints. */
export const openApiQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: ({ signal }) => send<OpenApiDocument>("/openapi.json", { signal }),
  staleTime: FRESH_MS,
});
