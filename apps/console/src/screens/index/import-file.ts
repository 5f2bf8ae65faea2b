import { send } from "../../api/send.ts";
import type { DocumentStatus } from "../../api/shapes.ts";
import { say } from "../../words/say.ts";

/** How a file gets into the index. */
export type ImportPlan =
  | { readonly kind: "lines" }
  | { readonly kind: "json" }
  | { readonly kind: "archive" }
  | { readonly kind: "page"; readonly url: string };

/** What became of one file. */
export interface ImportOutcome {
  readonly name: string;
  readonly saved: number;
  readonly unchanged: number;
  /** Whether a search finds them already; a long queue before them may take longer than a request waits. */
  readonly isFindable: boolean;
  readonly problems: readonly string[];
}

interface DocumentsReply {
  readonly documents: readonly DocumentStatus[];
  readonly indexed: boolean;
}

const BYTES = "application/octet-stream";
/** The address of a file that has none of its own, as the command line gives it. */
const HOME_OF_FILES = "https://files.invalid/uploads/";
/** The API takes at most 1,000 documents a request. */
const LINES_AT_ONCE = 500;
const PROBLEMS_SHOWN = 5;

/** Which way a file takes, by its name. */
export function planImport(name: string): ImportPlan {
  const lower = name.toLowerCase();
  if (/\.(ndjson|jsonl)$/.test(lower)) return { kind: "lines" };
  if (lower.endsWith(".json")) return { kind: "json" };
  if (/\.(warc|wet)(\.gz)?$/.test(lower)) return { kind: "archive" };
  return { kind: "page", url: `${HOME_OF_FILES}${encodeURIComponent(name)}` };
}

/** Cuts lines into lists that fit a request; empty lines are left out. */
export function cutLines(text: string, atOnce = LINES_AT_ONCE): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Array.from({ length: Math.ceil(lines.length / atOnce) }, (_, index) =>
    lines.slice(index * atOnce, (index + 1) * atOnce).join("\n"),
  );
}

/** So long files wait until searches find what they hold; with an index that is busy, or many files, the others do not. */
const PATIENCE_MS = 10_000;

/**
 * Sends files to the index, one after the other, and tells after each what became of those so far. Files are indexed in
 * the order in which they come, so that once patience is spent it is enough that the last one waits.
 */
export async function* importFiles(
  files: readonly File[],
  signal: AbortSignal,
): AsyncGenerator<readonly ImportOutcome[]> {
  let outcomes: readonly ImportOutcome[] = [];
  const begun = performance.now();
  for (const [index, file] of files.entries()) {
    const waits = index === files.length - 1 || performance.now() - begun < PATIENCE_MS;
    const outcome = await importFile(file, { waits }, signal).catch((error: unknown) => refused(file, error));
    const areAllFindable = waits && outcome.isFindable && outcome.saved > 0; // what was not saved waited for nothing
    const before = areAllFindable ? outcomes.map((one) => ({ ...one, isFindable: true })) : outcomes;
    outcomes = [...before, outcome];
    yield outcomes;
  }
}

/** Sends one file; rejects with the server's sentence when it refuses the file as a whole. */
async function importFile(
  file: File,
  { waits }: { readonly waits: boolean },
  signal: AbortSignal,
): Promise<ImportOutcome> {
  const plan = planImport(file.name);
  const wait = `wait=${String(waits)}`;
  const replies: DocumentsReply[] = [];
  switch (plan.kind) {
    case "lines": {
      const bodies = cutLines(await file.text());
      for (const [index, body] of bodies.entries()) {
        const path = `/quarry/v1/documents?wait=${String(waits && index === bodies.length - 1)}`;
        replies.push(await post<DocumentsReply>(path, body, "application/x-ndjson", signal));
      }
      break;
    }
    case "json": {
      const path = `/quarry/v1/documents?${wait}`;
      replies.push(await post<DocumentsReply>(path, await file.text(), "application/json", signal));
      break;
    }
    case "archive":
      replies.push(await post<DocumentsReply>(`/quarry/v1/index/import?${wait}`, file, BYTES, signal));
      break;
    case "page": {
      const path = `/quarry/v1/documents/file?${wait}&url=${encodeURIComponent(plan.url)}`;
      const mediaType = file.type === "" ? BYTES : file.type;
      const reply = await post<DocumentStatus & { readonly indexed: boolean }>(path, file, mediaType, signal);
      replies.push({ documents: [reply], indexed: reply.indexed });
      break;
    }
  }
  return sumUp(file.name, replies);
}

function refused(file: File, error: unknown): ImportOutcome {
  const problem = error instanceof Error ? error.message : String(error);
  return { name: file.name, saved: 0, unchanged: 0, isFindable: true, problems: [problem] };
}

/** What the replies to a file's documents come to. */
export function sumUp(name: string, replies: readonly DocumentsReply[]): ImportOutcome {
  const statuses = replies.flatMap(({ documents }) => documents);
  const problems = statuses.filter(({ status }) => status === "error");
  return {
    name,
    saved: statuses.filter(({ status }) => status === "created" || status === "updated").length,
    unchanged: statuses.filter(({ status }) => status === "unchanged" || status === "stale").length,
    isFindable: replies.at(-1)?.indexed ?? true,
    problems: [
      ...problems.slice(0, PROBLEMS_SHOWN).map(({ url, error = "refused" }) => `${url}: ${error}`),
      ...(problems.length > PROBLEMS_SHOWN ? [say("index.andMore", { count: problems.length - PROBLEMS_SHOWN })] : []),
    ],
  };
}

function post<Reply>(path: string, body: File | string, mediaType: string, signal: AbortSignal): Promise<Reply> {
  return send<Reply>(path, { method: "POST", body, headers: { "content-type": mediaType }, signal });
}
