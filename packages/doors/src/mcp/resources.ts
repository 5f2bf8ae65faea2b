import { AppError } from "@quarry/base";
import { pageOf, researchSchema, snapshotSchema } from "@quarry/contract";
import { z } from "zod";
import { callApi, type ApiCall } from "./api-call.ts";
import type { CountTokens } from "./budget/count-tokens.ts";
import { sentenceEnds } from "./budget/text-bounds.ts";
import { MAX_TOKENS } from "./call-tool.ts";
import { createFence } from "./fence-text.ts";
import { slim } from "./tools/slim.ts";
import { WEBSETS } from "./tools/websets-tools.ts";

/** One entry of the list of resources. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** What was read. */
export interface ResourceContents extends Omit<ResourceEntry, "name"> {
  readonly text: string;
}

/** Kinds of resources by the form of their URI. */
export const resourceTemplates = [
  { uriTemplate: "quarry://websets/{websetId}", name: "webset", mimeType: "application/json" },
  { uriTemplate: "quarry://websets/{websetId}/items/{itemId}", name: "webset item", mimeType: "application/json" },
  { uriTemplate: "quarry://snapshots/{snapshotId}", name: "stored copy of a page", mimeType: "text/plain" },
  { uriTemplate: "quarry://reports/{researchId}", name: "research report", mimeType: "text/markdown" },
] as const;

const LISTED = 25;
const anything = z.looseObject({ id: z.string(), title: z.string().nullish() });

/** The newest websets and reports of the team. */
export async function listResources(api: ApiCall, signal: AbortSignal): Promise<readonly ResourceEntry[]> {
  const query = { limit: LISTED };
  const websets = await api({ method: "GET", path: `${WEBSETS}/websets`, query }, signal);
  const listed = z.object({ data: z.array(anything) }).safeParse(websets.body);
  const research = await api({ method: "GET", path: "/research/v1", query }, signal);
  const reports = pageOf(researchSchema).safeParse(research.body);
  return [
    ...(listed.success ? listed.data.data : []).map(({ id, title }) => ({
      uri: `quarry://websets/${id}`,
      name: title ?? id,
      mimeType: "application/json",
    })),
    ...(reports.success ? reports.data.data : [])
      .filter(({ status }) => status === "completed")
      .map(({ researchId, instructions }) => ({
        uri: `quarry://reports/${researchId}`,
        name: instructions.slice(0, 80),
        mimeType: "text/markdown",
      })),
  ];
}

/** Reads one, cut at a sentence when it is larger than any reply may be. Throws `not_found` for what is none. */
export async function readResource(
  deps: { readonly api: ApiCall; readonly count: CountTokens },
  uri: string,
  signal: AbortSignal,
): Promise<ResourceContents> {
  const [, kind, rest = ""] = /^quarry:\/\/([a-z]+)\/(.+)$/.exec(uri) ?? [];
  const parts = rest.split("/").map(encodeURIComponent);
  const read = <S extends z.ZodType>(path: string, schema: S) =>
    callApi(deps.api, { method: "GET", path }, schema, signal);
  const [id = ""] = parts;
  switch (kind) {
    case "websets": {
      const path = `${WEBSETS}/websets/${parts.join("/")}`;
      const text = JSON.stringify(slim(await read(path, z.record(z.string(), z.unknown()))), undefined, 1);
      return { uri, mimeType: "application/json", text: capText(text, deps.count) };
    }
    case "reports": {
      const report = await read(`/research/v1/${id}`, researchSchema);
      const text = report.output?.content ?? `The research is ${report.status}.`;
      return { uri, mimeType: "text/markdown", text: capText(createFence().around(text), deps.count) };
    }
    case "snapshots": {
      const facts = await read(`/quarry/v1/snapshots/${id}`, snapshotSchema);
      const isText = /^text\/|json|xml/.test(facts.mediaType);
      const content = isText ? await readBytes(deps.api, `/quarry/v1/snapshots/${id}/content`, signal) : "";
      const fence = createFence();
      const about = `Stored ${facts.createdAt}, ${facts.mediaType}, ${facts.byteLength} bytes. ${fence.note}\n`;
      return { uri, mimeType: "text/plain", text: capText(about + fence.around(content), deps.count) };
    }
    default:
      throw new AppError(
        "not_found",
        `there is no resource ${uri.slice(0, 200)}; resources/templates/list shows the forms`,
      );
  }
}

async function readBytes(api: ApiCall, path: string, signal: AbortSignal): Promise<string> {
  const { body } = await api({ method: "GET", path }, signal);
  return typeof body === "string" ? body : JSON.stringify(body);
}

const CUT_NOTE =
  "\n[cut here: larger than a reply may be; the tools fetch, research_check and websets_items go on by cursor]";

function capText(text: string, count: CountTokens): string {
  let end = Math.min(text.length, MAX_TOKENS * 6);
  while (count(text.slice(0, end)) > MAX_TOKENS - 100) {
    const ends = sentenceEnds(text, 0, Math.floor(end * 0.9));
    end = ends.at(-2) ?? Math.floor(end * 0.9);
  }
  return end >= text.length ? text : text.slice(0, end) + CUT_NOTE;
}
