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
  readonly problems: readonly string[];
}

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

/** Sends a file to the index; rejects with the server's sentence when it refuses the file as a whole. */
export async function importFile(file: File, signal: AbortSignal): Promise<ImportOutcome> {
  const plan = planImport(file.name);
  const statuses: DocumentStatus[] = [];
  switch (plan.kind) {
    case "lines":
      for (const body of cutLines(await file.text())) {
        statuses.push(...(await putDocuments(body, "application/x-ndjson", signal)));
      }
      break;
    case "json":
      statuses.push(...(await putDocuments(await file.text(), "application/json", signal)));
      break;
    case "archive": {
      const reply = await send<{ readonly documents: readonly DocumentStatus[] }>("/quarry/v1/index/import", {
        method: "POST",
        body: file,
        headers: { "content-type": "application/octet-stream" },
        signal,
      });
      statuses.push(...reply.documents);
      break;
    }
    case "page": {
      const query = new URLSearchParams({ url: plan.url });
      statuses.push(
        await send<DocumentStatus>(`/quarry/v1/documents/file?${query.toString()}`, {
          method: "POST",
          body: file,
          headers: { "content-type": file.type === "" ? "application/octet-stream" : file.type },
          signal,
        }),
      );
      break;
    }
  }
  return sumUp(file.name, statuses);
}

/** What the statuses of a file's documents come to. */
export function sumUp(name: string, statuses: readonly DocumentStatus[]): ImportOutcome {
  const problems = statuses.filter(({ status }) => status === "error");
  return {
    name,
    saved: statuses.filter(({ status }) => status === "created" || status === "updated").length,
    unchanged: statuses.filter(({ status }) => status === "unchanged" || status === "stale").length,
    problems: [
      ...problems.slice(0, PROBLEMS_SHOWN).map(({ url, error = "refused" }) => `${url}: ${error}`),
      ...(problems.length > PROBLEMS_SHOWN ? [say("index.andMore", { count: problems.length - PROBLEMS_SHOWN })] : []),
    ],
  };
}

async function putDocuments(body: string, mediaType: string, signal: AbortSignal): Promise<readonly DocumentStatus[]> {
  const reply = await send<{ readonly documents: readonly DocumentStatus[] }>("/quarry/v1/documents", {
    method: "POST",
    body,
    headers: { "content-type": mediaType },
    signal,
  });
  return reply.documents;
}
