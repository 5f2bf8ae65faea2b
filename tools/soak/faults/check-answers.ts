import { readFileSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import { errorSchemas } from "@quarry/contract";
import { csvOf, fileOf, textOf, type Answer, type WorkPlace } from "./fault-work.ts";

/** Words of an accident that nobody foresaw, and of a stack. */
const UNTYPED =
  /something went wrong|reason inside the server|a database call failed|a database statement failed|\n\s+at |node:internal/;
const SETTLES_WITHIN_MS = 60_000;

/** What is wrong with an answer during a fault: it may be a refusal in the shape of the API, never an accident. */
export function checkDuring(answers: readonly Answer[]): readonly string[] {
  return answers.flatMap(({ piece, status, body }) => {
    const text = JSON.stringify(body);
    const say = (what: string): readonly string[] => [`${piece} ${what}: ${status} ${text.slice(0, 300)}`];
    if (status === 0) return say("had no answer");
    if (status === 500 || UNTYPED.test(text)) return say("was answered with an accident");
    const isShaped = Object.values(errorSchemas).some((schema) => schema.safeParse(body).success);
    return status >= 400 && !isShaped ? say("was refused in no shape of the API") : [];
  });
}

/** What is wrong with an answer after a fault: everything must work again. */
export function checkAfter(answers: readonly Answer[]): readonly string[] {
  return answers.flatMap(({ piece, status, body }) => {
    const text = JSON.stringify(body);
    const isWell = status >= 200 && status < 300 && !/"(error|failure|rejected)":|"status":"error"/.test(text);
    return isWell ? [] : [`${piece} does not work after the fault: ${status} ${text.slice(0, 300)}`];
  });
}

/** What is wrong with what the work of a turn left behind: jobs end, and what was acknowledged is there, whole. */
export async function checkTraces(
  place: WorkPlace,
  turn: number,
  answers: readonly Answer[],
): Promise<readonly string[]> {
  const accepted = answers.filter(({ status }) => status >= 200 && status < 300);
  const found = await Promise.all(
    accepted.map(({ piece, body }) => TRACES[piece]?.(place, turn, body as never) ?? Promise.resolve([])),
  );
  return found.flat();
}

interface DocumentsReply {
  readonly documents: readonly { readonly url: string; readonly status: string; readonly snapshotId: string | null }[];
}

interface StatusReply {
  readonly id: string;
  readonly status: string;
  readonly progress?: { readonly done: number; readonly failed: number };
  readonly count?: number | null;
  readonly downloadUrl?: string | null;
  readonly failedMessage?: string | null;
}

const TRACES: Readonly<Record<string, (place: WorkPlace, turn: number, body: never) => Promise<readonly string[]>>> = {
  documents: async ({ server }, turn, { documents }: DocumentsReply) => {
    const wrong: string[] = [];
    for (const [index, { url, status, snapshotId }] of documents.entries()) {
      if (status === "error") continue;
      const reply = await fetch(`${server.url}/quarry/v1/snapshots/${snapshotId ?? ""}/content`, {
        headers: { "x-api-key": server.key },
      });
      if ((await reply.text()) !== textOf(turn, index + 1)) wrong.push(`the snapshot of ${url} is not what was given`);
      const { body } = await server.call("GET", `/quarry/v1/documents?url=${encodeURIComponent(url)}`);
      if (!JSON.stringify(body).includes(snapshotId ?? "none")) wrong.push(`${url} was acknowledged and is not there`);
    }
    return wrong;
  },
  crawl: async ({ server }, _turn, { id }: StatusReply) => {
    const crawl = await settle(server, `/quarry/v1/crawls/${id}`);
    const isWhole = crawl.status === "completed" && crawl.progress?.done === 3;
    return isWhole ? [] : [`a crawl of three pages ended ${crawl.status} with ${JSON.stringify(crawl.progress)}`];
  },
  import: async ({ server }, turn, { id }: StatusReply) => {
    const made = await settle(server, `/websets/v0/imports/${id}`);
    const rows = csvOf(turn).trimEnd().split("\n").length - 1;
    const isWhole = made.status === "completed" && made.count === rows;
    return isWhole ? [] : [`an import of ${rows} rows ended ${made.status} with ${made.count ?? "no"} rows`];
  },
  export: async ({ server, webset }, _turn, { id }: StatusReply) => {
    const made = await settle(server, `/websets/v0/websets/${webset}/exports/${id}`);
    if (made.status === "failed") {
      return UNTYPED.test(made.failedMessage ?? "")
        ? [`an export failed without saying why: ${made.failedMessage}`]
        : [];
    }
    const reply = await fetch(made.downloadUrl ?? "");
    const lines = (await reply.text()).trimEnd().split("\n").length - 1;
    return lines === made.count ? [] : [`an export of ${made.count ?? "no"} rows has ${lines} lines (${reply.status})`];
  },
  edit: ({ workspace }, turn) => {
    const text = readFileSync(path.join(workspace, "stones.txt"), "utf8");
    const isWhole = text === fileOf(turn) || (text.startsWith("granite ") && text === fileOf(lastNumberOf(text)));
    return Promise.resolve(isWhole ? [] : [`stones.txt has ${text.length} characters of no edit`]);
  },
};

function lastNumberOf(text: string): number {
  return Number(/(\d+)\n$/.exec(text)?.[1] ?? -1);
}

async function settle(server: WorkPlace["server"], route: string): Promise<StatusReply> {
  for (const end = performance.now() + SETTLES_WITHIN_MS; ;) {
    const { body } = await server.call("GET", route);
    const state = body as StatusReply;
    if (/completed|failed|canceled/.test(state.status) || performance.now() > end) return state;
    await sleep(100);
  }
}
