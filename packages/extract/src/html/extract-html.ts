import { detectLanguage } from "../detect-language.ts";
import { EXTRACTOR_VERSION, type ExtractedDocument } from "../extracted-document.ts";
import { DEFAULT_LIMITS, type ExtractLimits } from "../limits.ts";
import { collectFacts, type PageFacts } from "../metadata/collect-facts.ts";
import { readCreditLines } from "../metadata/credit-lines.ts";
import { readMicrodata } from "../metadata/microdata.ts";
import { readAuthor } from "../metadata/read-author.ts";
import { readPublishedDate } from "../metadata/read-date.ts";
import {
  makeBeginTest,
  makeMainTest,
  makeResolver,
  readImages,
  readLinks,
  withContacts,
} from "../metadata/read-links.ts";
import { namesOfSite, readSite } from "../metadata/read-site.ts";
import { readTitle } from "../metadata/read-title.ts";
import { codeOf, headingsOf } from "./document-parts.ts";
import { dropContents } from "./drop-contents.ts";
import { dropRepeats } from "./drop-repeats.ts";
import { dropHidden } from "./is-hidden.ts";
import { keepAmid } from "./keep-amid.ts";
import { keepSections } from "./keep-sections.ts";
import { keepWhole } from "./keep-whole.ts";
import { readPageFeatures } from "./page-kind-features.ts";
import { guessPageKind, SURE_KIND } from "./page-kind.ts";
import { readSignals, SIGNAL_NAMES } from "./page-signals.ts";
import { parsePage } from "./parse-page.ts";
import { scoreBlocks } from "./score-blocks.ts";
import { selectBlocks } from "./select-blocks.ts";
import { findBlocks } from "./text-blocks.ts";
import { writeMarkdown } from "./write-markdown.ts";
import { writeText, type KeptBlock } from "./write-text.ts";

/** A decoded HTML page. */
export interface HtmlInput {
  /** Where it was read; links are resolved against it. */
  readonly url: string;
  readonly html: string;
  /** XHTML only where the server says so, as in browsers. */
  readonly syntax?: "html" | "xhtml";
  /** No published date later than this is believed; the machine's time when absent. */
  readonly now?: Date;
  readonly limits?: ExtractLimits;
}

/** Extracts one HTML page. It never throws, whatever the page is; see `limitsReached` for what was cut off. */
export function extractHtml(input: HtmlInput): ExtractedDocument {
  const limits = input.limits ?? DEFAULT_LIMITS;
  const { root, limitsReached } = parsePage(input.html, limits, input.syntax);
  const facts = collectFacts(root, limits);
  const page = findBlocks(root, limits);
  const signals = readSignals(input.url, facts);
  const guess = guessPageKind(readPageFeatures(page, facts, signals));
  const chances = scoreBlocks(page, signals, guess);
  const chosen = keepSections(page, selectBlocks(page.blocks, chances, guess), {
    chances,
    guess,
    isDeclared: signals.flags[SIGNAL_NAMES.indexOf("is:article")] === 1,
  });
  const selected = keepAmid(page.blocks, chosen, guess.kind);
  const kept = dropContents(dropRepeats(dropHidden(keepWhole(page.blocks, selected))));
  const written = writeText(kept, limits.maxTextChars);
  const resolve = makeResolver(input.url, facts.baseHref);
  const ranges = kept.map(({ block }) => rangeOf(block.nodes)).filter((range) => range.end > range.start);
  const main = { isMain: makeMainTest(ranges), beginsIn: makeBeginTest(ranges) };
  // Images stand between texts, not in them.
  const isAmidMain = makeMainTest(
    ranges.length === 0 ? [] : [{ start: ranges[0]?.start ?? 0, end: Math.max(...ranges.map(({ end }) => end)) }],
  );
  const site = readSite(facts, input.url, resolve);
  const title = readTitle(facts, { url: input.url, siteName: site.siteName, kind: guess.kind });
  const hasAuthor = guess.kind === "article" || guess.kind === "forum";
  const creditLines = hasAuthor ? readCreditLines(page.blocks, title) : [];
  const date = readPublishedDate(facts, input.url, {
    now: input.now ?? new Date(),
    kind: guess.kind,
    isSure: guess.chance >= SURE_KIND,
    creditLines,
  });
  return {
    url: input.url,
    mediaType: "text/html",
    extractorVersion: EXTRACTOR_VERSION,
    title,
    author: readAuthor(facts, { isWritten: hasAuthor, creditLines, siteNames: namesOfSite(facts, site.siteName) }),
    publishedDate: date?.date,
    dateEvidence: date?.evidence,
    language: detectLanguage(written.text, facts.language),
    ...site,
    pageType: guess.kind,
    text: written.text,
    offsets: written.offsets,
    markdown: writeMarkdown(kept, withContacts(resolve), limits.maxTextChars),
    headings: headingsOf(kept, written),
    codeBlocks: codeOf(kept, written),
    links: readLinks(facts.anchors, resolve, main),
    imageLinks: readImages(facts.images, resolve, isAmidMain),
    structuredData: {
      jsonLd: facts.jsonLd,
      microdata: readMicrodata(facts.items, { resolve, byId: facts.byId }),
      openGraph: readOpenGraph(facts),
    },
    limitsReached: [
      ...limitsReached,
      ...page.limitsReached,
      ...facts.limitsReached,
      ...(written.cutShort ? ["maxTextChars"] : []),
    ],
  };
}

function rangeOf(nodes: KeptBlock["block"]["nodes"]): { readonly start: number; readonly end: number } {
  const first = nodes[0];
  const last = nodes.at(-1);
  if (first === undefined || last === undefined) return { start: 0, end: 0 };
  // a link's text begins after its start tag, which counts as inside
  const start = first.parent?.tag === "a" ? first.parent.start : first.start;
  return { start, end: last.end };
}

function readOpenGraph(facts: PageFacts): Readonly<Record<string, string>> {
  const entries = facts.metas.filter(({ name }) =>
    /^(?:og|article|product|book|profile|video|music|fb|twitter):/.test(name),
  );
  return Object.fromEntries(entries.reverse().map(({ name, value }) => [name, value]));
}
