import { sleep } from "@quarry/base";
import type { ServerProcess } from "../../server-process.ts";

/** What one piece of work was answered. */
export interface Answer {
  readonly piece: string;
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly body: unknown;
}

/** Where the pieces of work happen. */
export interface WorkPlace {
  readonly server: ServerProcess;
  /** The mini-web. */
  readonly origin: string;
  readonly webset: string;
  readonly session: string;
  readonly workspace: string;
}

const PIECE_WITHIN_MS = 60_000;
const ROWS = 40;

/** The text of a document of one turn; no two are alike. */
export function textOf(turn: number, number: number): string {
  return `Lighthouse ${turn} of harbour ${number}: its lamp is seen for ${turn * 7 + number} miles. `.repeat(20);
}

/** The contents of the file that a turn writes. */
export function fileOf(turn: number): string {
  return `${"granite ".repeat(2_000)}${turn}\n`;
}

/** The CSV that a turn uploads. */
export function csvOf(turn: number): string {
  const rows = Array.from({ length: ROWS }, (_, row) => `https://row${row}.turn${turn}.example/,Row ${row}`);
  return `url,name\n${rows.join("\n")}\n`;
}

/** Ways in which people and agents have the server write something, by name; what none of them reaches is not swept. */
export const PIECES: Readonly<Record<string, (place: WorkPlace, turn: number) => Promise<Omit<Answer, "piece">>>> = {
  documents: ({ server }, turn) =>
    server.call(
      "POST",
      "/quarry/v1/documents?wait=true",
      [1, 2, 3].map((number) => ({
        url: `https://harbour${number}.example/turn/${turn}`,
        title: `Turn ${turn}, harbour ${number}`,
        text: textOf(turn, number),
      })),
    ),
  contents: ({ server, origin }, turn) =>
    server.call("POST", "/contents", {
      urls: [`${origin}/page/${turn}?turn=${turn}`],
      text: true,
      livecrawl: "always",
    }),
  extract: ({ server }, turn) =>
    server.call("POST", "/quarry/v1/extract", {
      url: "https://extract.example/",
      html: `<html><body><main><h1>Turn ${turn}</h1><p>${textOf(turn, 1)}</p></main></body></html>`,
    }),
  crawl: ({ server, origin }, turn) =>
    server.call("POST", "/quarry/v1/crawls", {
      urls: [0, 1, 2].map((number) => `${origin}/page/${number}?crawl=${turn}`),
      maxDepth: 0,
      delayMs: 0,
    }),
  import: async ({ server }, turn) => {
    const csv = csvOf(turn);
    const wish = { size: csv.length, count: ROWS, format: "csv", entity: { type: "company" }, title: `Turn ${turn}` };
    const begun = await server.call("POST", "/websets/v0/imports", wish);
    if (begun.status !== 201) return begun;
    const { uploadUrl } = begun.body as { readonly uploadUrl: string };
    const reply = await fetch(uploadUrl, { method: "PUT", body: csv });
    return { status: reply.status, body: await reply.json() };
  },
  export: ({ server, webset }) => server.call("POST", `/websets/v0/websets/${webset}/exports`, { format: "csv" }),
  edit: ({ server, session }, turn) =>
    server.call("POST", `/quarry/v1/tools/edit_file_v2/calls?sessionId=${session}`, {
      relativeWorkspacePath: "stones.txt",
      contentsAfterEdit: fileOf(turn),
    }),
  terminal: ({ server, session, workspace }, turn) =>
    server.call("POST", `/quarry/v1/tools/run_terminal_command_v2/calls?sessionId=${session}`, {
      command: `for n in 1 2 3 4 5; do echo turn ${turn} line $n; done`,
      cwd: workspace,
      options: {},
    }),
  grep: ({ server, session }) =>
    server.call("POST", `/quarry/v1/tools/ripgrep_raw_search/calls?sessionId=${session}`, { pattern: "granite" }),
  search: ({ server }) => server.call("POST", "/search", { query: "lighthouse lamp miles", type: "keyword" }),
  model: ({ server }, turn) =>
    server.call("PUT", "/quarry/v1/model", { url: `http://127.0.0.1:9/v1`, model: `turn-${turn}` }),
  key: ({ server }, turn) => server.call("POST", "/quarry/v1/keys", { name: `turn ${turn}` }),
};

/** Has all pieces of work done at once, and says what each was answered. */
export function doWork(place: WorkPlace, turn: number, pieces = Object.keys(PIECES)): Promise<readonly Answer[]> {
  return Promise.all(
    pieces.map(async (piece) => {
      const work = PIECES[piece];
      if (work === undefined) throw new Error(`there is no work called ${piece}`);
      const late = sleep(PIECE_WITHIN_MS).then(() => ({ status: 0, body: "no answer in time" }));
      const answer = await Promise.race([work(place, turn), late]).catch((error: unknown) => ({
        status: 0,
        body: String(error),
      }));
      return { piece, ...answer };
    }),
  );
}
