import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { FoundAnswer, FoundPage, ReadPage } from "../ports.ts";
import { sameAddress } from "../pure/name-similarity.ts";
import type { WorkflowArgs } from "../workflow-args.ts";

/** How much of a page's text a result shows. */
const TEXT_CHARACTERS = 500;
/** So many searches for similar pages at once. */
const SIMILAR_EACH = 5;

/** retrieval.searchAndRead: the best results, with the beginning of their text. */
export async function searchAndRead(flow: Flow, args: WorkflowArgs<"retrieval.searchAndRead">): Promise<FlowResult> {
  await flow.tell({ step: "search", completed: 0, total: 2 });
  const found = await search(flow, "search", args.query, args.numResults);
  await flow.tell({ step: "read", completed: 1, total: 2, message: `${found.length} results` });
  const read = await readAll(
    flow,
    "read",
    found.map(({ url }) => url),
  );
  const texts = new Map(read.map(({ url, text }) => [url, text]));
  const pages = found.map(({ url, title, publishedDate, highlights }) => ({
    url,
    title,
    publishedDate,
    highlights,
    text: cutText(texts.get(url) ?? ""),
    isRead: texts.has(url),
  }));
  return { pages, _summary: `${pages.length} results, ${read.length} read` };
}

/** retrieval.expandAndCollect: what a search finds, and pages like its best results. */
export async function expandAndCollect(
  flow: Flow,
  args: WorkflowArgs<"retrieval.expandAndCollect">,
): Promise<FlowResult> {
  await flow.tell({ step: "search", completed: 0, total: 2 });
  const found = await search(flow, "search", args.query, args.numResults);
  await flow.tell({ step: "expand", completed: 1, total: 2, message: `${found.length} results` });
  const top = found.slice(0, args.expandTop);
  const similar = await Promise.all(
    top.map(({ url }, index) =>
      flow.step(`similar ${index + 1}`, async (signal) =>
        plain(await flow.retrieval.findSimilar(flow.teamId, { url, limit: SIMILAR_EACH }, signal)),
      ),
    ),
  );
  const seen = new Set<string>();
  const tagged = [
    ...found.map((page) => ({ page, source: "search" })),
    ...similar.flatMap((pages, index) =>
      (pages as unknown as readonly FoundPage[]).map((page) => ({
        page,
        source: `similar to ${top[index]?.url ?? ""}`,
      })),
    ),
  ].filter(({ page }) => !seen.has(sameAddress(page.url)) && seen.add(sameAddress(page.url)));
  const pages = tagged.map(({ page: { url, title, publishedDate }, source }) => ({
    url,
    title,
    publishedDate,
    source,
  }));
  const added = pages.length - found.length;
  return { pages, added, _summary: `${pages.length} pages, ${added} of them by likeness` };
}

/** retrieval.verifiedAnswer: an answer, and whether an independent search comes to the same pages. */
export async function verifiedAnswer(flow: Flow, args: WorkflowArgs<"retrieval.verifiedAnswer">): Promise<FlowResult> {
  await flow.tell({ step: "answer", completed: 0, total: 3 });
  const given = await flow.step("answer", async (signal) =>
    plain(await flow.retrieval.answer(flow.teamId, args.query, signal)),
  );
  const { answer, citations } = given as unknown as FoundAnswer;
  await flow.tell({ step: "verify", completed: 1, total: 3, message: `${citations.length} citations` });
  const found = await search(flow, "independent search", args.query, args.numVerify);
  await flow.tell({ step: "read", completed: 2, total: 3 });
  const read = await readAll(
    flow,
    "read",
    found.map(({ url }) => url),
  );
  const cited = new Set(citations.map(({ url }) => sameAddress(url)));
  const overlap = found.filter(({ url }) => cited.has(sameAddress(url))).map(({ url }) => url);
  const share = found.length === 0 ? 0 : overlap.length / found.length;
  return {
    answer,
    citations: citations.map(({ url, title }) => ({ url, title })),
    pages: read.map(({ url, title, text }) => ({
      url,
      title,
      text: cutText(text),
      isCited: cited.has(sameAddress(url)),
    })),
    overlap,
    overlapShare: share,
    _summary: `an answer with ${citations.length} sources; ${overlap.length} of ${found.length} independent results are among them`,
  };
}

async function search(flow: Flow, name: string, query: string, limit: number): Promise<readonly FoundPage[]> {
  const found = await flow.step(name, async (signal) =>
    plain(await flow.retrieval.search(flow.teamId, { query, limit }, signal)),
  );
  return found as unknown as readonly FoundPage[];
}

async function readAll(flow: Flow, name: string, urls: readonly string[]): Promise<readonly ReadPage[]> {
  const read = await flow.step(name, async (signal) => {
    const pages = urls.length === 0 ? [] : await flow.retrieval.read(flow.teamId, urls, signal);
    return plain(pages.map(({ url, title, text }) => ({ url, title, text: text.slice(0, 4 * TEXT_CHARACTERS) })));
  });
  return read as unknown as readonly ReadPage[];
}

/** At most 500 characters, at the end of a word. */
export function cutText(text: string): string {
  if (text.length <= TEXT_CHARACTERS) return text;
  const cut = text.slice(0, TEXT_CHARACTERS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), TEXT_CHARACTERS / 2)).trimEnd()}…`;
}

/** Records of JSON alone, in the eyes of the type checker. */
function plain(value: unknown): Plain {
  return value as Plain;
}
