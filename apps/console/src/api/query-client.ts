import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { showToast } from "../ui/toasts.ts";
import { ApiError } from "./send.ts";
import { say } from "../words/say.ts";

const MAX_RETRIES = 2;
const FRESH_MS = 3_000;

/**
 * Asks the server, remembers its replies and asks again. The machine may have no network at all, which says nothing
 * about a server on loopback: so it never waits to be "online".
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => askWhoIsThere(client, error, query.queryKey) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        askWhoIsThere(client, error);
        if (mutation.meta?.["quiet"] !== true) showToast({ kind: "bad", title: titleOf(error), text: error.message });
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: FRESH_MS,
        retry: (count, error) => count < MAX_RETRIES && isPassing(error),
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}

/** A session that has ended shows the sign-in form, and a server that is gone a warning, wherever one was. */
function askWhoIsThere(client: QueryClient, error: Error, key: readonly unknown[] = []): void {
  if (!(error instanceof ApiError) || key[0] === "me") return;
  if (error.status === 401 || error.status === 0) void client.invalidateQueries({ queryKey: ["me"] });
}

function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return say("api.thatDidNotWork");
  if (error.status === 0) return say("api.noAnswer");
  if (error.status === 403) return say("api.notAllowed");
  if (error.status === 429) return say("api.tooManyRequests");
  return say("api.thatDidNotWork");
}
