import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/send.ts";
import { say } from "../../words/say.ts";

/** Reply of GET /quarry/v1/index. */
export interface IndexStats {
  readonly documents: number;
  readonly sharedDocuments: number;
  readonly words: number;
  readonly duplicates: number;
  readonly lastChangedAt: string | null;
  readonly languages: readonly { readonly language: string | null; readonly documents: number }[];
  readonly hosts: readonly { readonly host: string; readonly documents: number }[];
  readonly hostCount: number;
  readonly snapshots: { readonly count: number; readonly bytes: number };
  readonly outbox: number;
  /** Only for the team that runs the server, while the index is open. */
  readonly searchIndex?: SearchIndexStats | null;
}

/** The search index itself. */
export interface SearchIndexStats {
  readonly model: string;
  readonly pages: number;
  readonly chunks: number;
  readonly unindexedPages: number;
  readonly unindexedChunks: number;
  readonly diskBytes: number;
  readonly cacheBytes: number;
}

/** A task of the process that writes the index. */
interface IndexTask {
  readonly id: string;
  readonly status: "queued" | "running" | "done" | "failed";
  readonly error: string | null;
}

const LOOK_AGAIN_MS = 5_000;

/** What the index holds. */
export const indexStatsQuery = queryOptions({
  queryKey: ["index", "stats"],
  queryFn: ({ signal }) => send<IndexStats>("/quarry/v1/index", { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

/** How many pages a search looks through: the team's own, and those that all share; what the index itself says goes first. */
export function countSearchable({ documents, sharedDocuments, searchIndex = null }: IndexStats): number {
  return searchIndex === null ? documents + sharedDocuments : Math.max(documents, searchIndex.pages);
}

const ASK_TASK_MS = 500;

/** Has the index compacted and waits until it is; rejects with the reason when it fails. */
export async function optimiseIndex(signal: AbortSignal): Promise<void> {
  let task = await send<IndexTask>("/quarry/v1/index/optimize", { method: "POST", signal });
  while (task.status === "queued" || task.status === "running") {
    await new Promise((resolve) => setTimeout(resolve, ASK_TASK_MS));
    signal.throwIfAborted();
    task = await send<IndexTask>(`/quarry/v1/index/tasks/${encodeURIComponent(task.id)}`, { signal });
  }
  if (task.status === "failed") throw new Error(task.error ?? say("index.theTaskFailedWithoutSaying"));
}

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
