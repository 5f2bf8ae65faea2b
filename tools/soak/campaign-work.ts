import { isDeepStrictEqual } from "node:util";
import type { ServerProcess } from "../server-process.ts";
import { compareResearch, type ResearchRun } from "./research-kills.ts";
import { compareWebsets, readWebsetResult, WISHED_WEBSET } from "./websets-kills.ts";

/** A kind of long work that the campaign has under way all the time. */
export interface CampaignWork {
  readonly name: string;
  /** Where it is begun by POST, and listed by GET. */
  readonly route: string;
  readonly request: unknown;
  /** Its id in the reply to the POST and in the list. */
  readonly idField: string;
  readonly look: (server: ServerProcess, id: string) => Promise<WorkLook>;
  /** Takes what one that ran in peace came to for the measure of the others; says what is wrong with it. */
  readonly learn: (server: ServerProcess, id: string) => Promise<readonly string[]>;
  /** How a finished one differs from the one in peace. */
  readonly compare: (server: ServerProcess, id: string) => Promise<readonly string[]>;
}

/** Where a piece of work stands. */
export interface WorkLook {
  readonly isOver: boolean;
  /** Differs whenever it has moved. */
  readonly stamp: string;
}

const QUESTIONS = ["Alprad", "Bergwerk", "Citylast"].map((name) => `How many people does ${name} employ?`);
/** A list of research gives no more at once. */
const PAGE = 50;

/** Websets, research and crawls of the web at `origin`. */
export function makeCampaignWorks(origin: string): readonly CampaignWork[] {
  return [
    defineWork({
      name: "webset",
      route: "/websets/v0/websets",
      request: WISHED_WEBSET,
      idField: "id",
      look: async (server, id) => {
        const webset = await readObject(server, `/websets/v0/websets/${id}`);
        const events = await readEventIds(server, id);
        return { isOver: webset["status"] === "idle", stamp: JSON.stringify([webset["searches"], events.length]) };
      },
      read: readWebsetResult,
      compare: compareWebsets,
      isEmpty: ({ items }) => items.length === 0,
    }),
    defineWork<ResearchRun>({
      name: "research",
      route: "/research/v1",
      request: { instructions: QUESTIONS.join(" "), model: "exa-research-pro" },
      idField: "researchId",
      look: async (server, id) => {
        const { status, events } = await readObject(server, `/research/v1/${id}?events=true`);
        return {
          isOver: !["pending", "running"].includes(String(status)),
          stamp: String((events as readonly unknown[] | undefined)?.length),
        };
      },
      read: async (server, id) => {
        const { body } = await server.call("GET", `/research/v1/${id}?events=true`);
        const { citations = [], events = [], ...run } = body as Partial<ResearchRun> & Pick<ResearchRun, "status">;
        return { ...run, citations, events };
      },
      compare: compareResearch,
      isEmpty: ({ citations }) => citations.length === 0,
    }),
    defineWork({
      name: "crawl",
      route: "/quarry/v1/crawls",
      request: { url: `${origin}/`, delayMs: 0, maxPages: 1_000 },
      idField: "id",
      look: async (server, id) => {
        const { status, progress } = await readObject(server, `/quarry/v1/crawls/${id}`);
        return {
          isOver: ["completed", "failed", "canceled"].includes(String(status)),
          stamp: JSON.stringify(progress),
        };
      },
      read: async (server, id) => {
        const { status, progress } = await readObject(server, `/quarry/v1/crawls/${id}`);
        const { done, failed, queued } = progress as Readonly<Record<string, number>>;
        const pages = (await readAll(server, `/quarry/v1/crawls/${id}/pages`)).map(({ url, state, status: end }) =>
          [url, state, end].join(" "),
        );
        return { status, done, failed, queued, pages: pages.sort() };
      },
      compare: ({ pages: expected, ...rest }, { pages, ...crawl }) => [
        ...(isDeepStrictEqual(rest, crawl) ? [] : [`${JSON.stringify(crawl)} instead of ${JSON.stringify(rest)}`]),
        ...expected.filter((page) => !pages.includes(page)).map((page) => `lost ${page}`),
        ...pages.filter((page, place) => !expected.includes(page) || pages.indexOf(page) !== place),
      ],
      isEmpty: ({ status, pages }) => status !== "completed" || pages.length === 0,
    }),
  ];
}

interface WorkParts<End> extends Omit<CampaignWork, "learn" | "compare"> {
  readonly read: (server: ServerProcess, id: string) => Promise<End>;
  readonly compare: (expected: End, end: End) => readonly string[];
  readonly isEmpty: (end: End) => boolean;
}

function defineWork<End>({ read, compare, isEmpty, ...work }: WorkParts<End>): CampaignWork {
  let expected: End | undefined;
  return {
    ...work,
    learn: async (server, id) => {
      expected = await read(server, id);
      return isEmpty(expected) ? [`${work.name}: nothing comes of it in peace: ${JSON.stringify(expected)}`] : [];
    },
    compare: async (server, id) => {
      if (expected === undefined) throw new Error("none ran in peace before");
      return compare(expected, await read(server, id)).map((line) => `${work.name} ${id}: ${line}`);
    },
  };
}

/** The ids of a webset's events in the order of the log, and of one of these types if any are given. */
export async function readEventIds(
  server: ServerProcess,
  websetId: string,
  types?: readonly string[],
): Promise<readonly string[]> {
  const rows = await readAll(server, `/quarry/v1/events?resourceKind=webset&resourceId=${websetId}`);
  return rows.flatMap(({ id, type }) => (types?.includes(String(type)) === false ? [] : [String(id)])).reverse();
}

/** Every row of a list, page after page. */
export async function readAll(
  server: ServerProcess,
  route: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (let cursor = ""; ;) {
    const query = `${route.includes("?") ? "&" : "?"}limit=${PAGE}${cursor}`;
    const page = await readObject(server, `${route}${query}`);
    rows.push(...(page["data"] as typeof rows));
    if (typeof page["nextCursor"] !== "string") return rows;
    cursor = `&cursor=${page["nextCursor"]}`;
  }
}

async function readObject(server: ServerProcess, route: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await server.call("GET", route);
  if (status !== 200) throw new Error(`${route} was answered with ${status}: ${JSON.stringify(body)}`);
  return body as Readonly<Record<string, unknown>>;
}
