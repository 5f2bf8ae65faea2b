import { detectLanguage } from "../detect-language.ts";
import type { DocumentCode, DocumentHeading, ExtractedDocument } from "../extracted-document.ts";
import type { ExtractLimits } from "../limits.ts";
import { makeResolver, type PageLink } from "../metadata/read-links.ts";
import { makeTextBuilder, type OffsetMap } from "../offset-map.ts";
import { emptyDocument } from "../whole-document.ts";

/** Neither part may hold the sign it begins with, so that no place of the text is tried twice. */
const LINK = /\[([^[\]\n]{1,300})\]\(([^\s()]{1,2000})(?:\s+"[^"\n]{0,500}")?\)/g;
const MAX_TITLE_CHARS = 200;

/** Extracts plain text or Markdown: the text is the source itself but for line breaks, and its offsets say so. */
export function extractPlainText(
  input: { readonly url: string; readonly text: string; readonly mediaType: string },
  limits: ExtractLimits,
): ExtractedDocument {
  const isCut = input.text.length > limits.maxTextChars;
  const { text, offsets } = withPlainBreaks(isCut ? input.text.slice(0, limits.maxTextChars) : input.text);
  const isMarkdown = input.mediaType === "text/markdown";
  const { headings, codeBlocks } = isMarkdown ? readOutline(text) : { headings: [], codeBlocks: [] };
  const firstLine = text.trimStart().split("\n", 1)[0]?.trim() ?? "";
  return {
    ...emptyDocument({ url: input.url, mediaType: input.mediaType }),
    title: headings[0]?.text ?? (firstLine === "" ? undefined : firstLine.slice(0, MAX_TITLE_CHARS)),
    language: detectLanguage(text, undefined),
    text,
    offsets,
    markdown: text,
    headings,
    codeBlocks,
    links: isMarkdown ? findLinks(text, input.url, limits) : [],
    limitsReached: isCut ? ["maxTextChars"] : [],
  };
}

/** The text with LF for CRLF and CR. Each run begins with the LF of a CRLF, whose CR stands in none. */
function withPlainBreaks(source: string): { readonly text: string; readonly offsets: OffsetMap } {
  const builder = makeTextBuilder();
  let from = 0;
  for (const line of source.split("\r\n")) {
    const begin = from === 0 ? 0 : from - 1;
    const end = from + line.length;
    builder.add(source.slice(begin, end).replaceAll("\r", "\n"), begin, end - begin);
    from = end + 2;
  }
  return builder.finish();
}

const FENCE = /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)/;
const HEADING = /^(#{1,6})[ \t]+(?=\S)/;

/** The headings and blocks of code of a Markdown text, found line by line: time is linear, however it is written. */
function readOutline(text: string): {
  readonly headings: readonly DocumentHeading[];
  readonly codeBlocks: readonly DocumentCode[];
} {
  const headings: DocumentHeading[] = [];
  const codeBlocks: DocumentCode[] = [];
  let open: { readonly fence: string; readonly language: string; readonly start: number } | undefined;
  const closeCode = (end: number): void => {
    if (open === undefined) return;
    const { language, start } = open;
    codeBlocks.push({ language, text: text.slice(start, end).replace(/\n$/, ""), start, end });
    open = undefined;
  };
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const fence = FENCE.exec(line);
    const heading = open === undefined ? HEADING.exec(line) : null;
    if (open !== undefined) {
      if (fence?.[1] === open.fence && line.trimEnd() === open.fence) closeCode(start);
    } else if (fence !== null) open = { fence: fence[1] ?? "", language: fence[2] ?? "", start: end + 1 };
    else if (heading !== null) {
      const title = withoutClosingSigns(line.slice(heading[0].length).trimEnd());
      if (title !== "") headings.push({ level: heading[1]?.length ?? 1, text: title, start, end });
    }
    start = end + 1;
  }
  closeCode(text.length);
  return { headings, codeBlocks };
}

/** "Title ##" is "Title"; "C#" stays. */
function withoutClosingSigns(title: string): string {
  let end = title.length;
  while (end > 0 && title.charAt(end - 1) === "#") end -= 1;
  return end === 0 || /[ \t]/.test(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

function findLinks(text: string, url: string, limits: ExtractLimits): readonly PageLink[] {
  const resolve = makeResolver(url, undefined);
  const links = new Map<string, PageLink>();
  for (const match of text.matchAll(LINK)) {
    if (links.size >= limits.maxLinks) break;
    const address = resolve(match[2] ?? "");
    if (address !== undefined && !links.has(address)) {
      links.set(address, { url: address, text: match[1] ?? "", inMain: true, nofollow: false });
    }
  }
  return [...links.values()];
}
