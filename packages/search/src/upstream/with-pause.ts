import { AppError } from "@quarry/base";
import type { UpstreamProvider } from "./upstream-provider.ts";

/** How long a provider that asked us to slow down is left alone, unless it says so itself; and the longest we believe it. */
const PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 600_000;

/** The provider, which is not asked again before the time it asked for: until then its failure is repeated at once. */
export function withPause(provider: UpstreamProvider, now: () => Date): UpstreamProvider {
  let pause: { readonly untilMs: number; readonly error: AppError } | undefined;
  return {
    name: provider.name,
    search: async (query, signal) => {
      if (pause !== undefined && now().getTime() < pause.untilMs) throw pause.error;
      try {
        return await provider.search(query, signal);
      } catch (error) {
        if (error instanceof AppError && error.code === "rate_limited") {
          const waitMs = Math.min(error.retryAfterMs ?? PAUSE_MS, MAX_PAUSE_MS);
          pause = { untilMs: now().getTime() + waitMs, error };
        }
        throw error;
      }
    },
  };
}
