import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { ApiError, send } from "../api/send.ts";
import type { Me } from "../api/shapes.ts";

const ASK_AGAIN_MS = 10_000;
/** While the server does not answer. */
const KNOCK_AGAIN_MS = 2_000;

/** Who is signed in, or null for nobody; asked again and again, so that a server that went away is noticed. */
export function useMe(): UseQueryResult<Me | null> {
  return useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => readMe(signal),
    refetchInterval: ({ state }) => (state.error === null ? ASK_AGAIN_MS : KNOCK_AGAIN_MS),
    retry: false,
  });
}

async function readMe(signal: AbortSignal): Promise<Me | null> {
  try {
    return await send<Me>("/quarry/v1/me", { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
