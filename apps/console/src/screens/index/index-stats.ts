import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/send.ts";

/** Reply of GET /quarry/v1/index; the later parts are there once the server has a search index. */
export interface IndexStats {
  readonly documents: number;
  readonly words: number;
  readonly duplicates: number;
  readonly lastChangedAt: string | null;
  readonly languages: readonly { readonly language: string | null; readonly documents: number }[];
  readonly hosts: readonly { readonly host: string; readonly documents: number }[];
  readonly hostCount: number;
  readonly snapshots: { readonly count: number; readonly bytes: number };
  readonly outbox: number;
  readonly [more: string]: unknown;
}

const LOOK_AGAIN_MS = 5_000;

/** What the index holds. */
export const indexStatsQuery = queryOptions({
  queryKey: ["index", "stats"],
  queryFn: ({ signal }) => send<IndexStats>("/quarry/v1/index", { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

const names = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

/** The English name of a language's code. */
export function nameOfLanguage(code: string | null): string {
  if (code === null || code === "") return "unknown";
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // not a code at all
  }
}
