import { detectLanguage } from "../detect-language.ts";
import type { DocumentCode, DocumentHeading, ExtractedDocument } from "../extracted-document.ts";
import type { ExtractLimits } from "../limits.ts";
import { makeResolver, type PageLink } from "../metadata/read-links.ts";
import { emptyDocument } from "../whole-document.ts";

const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/gm;
const FENCE = /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n]*\n([\s\S]*?)^\1[ \t]*$/gm;
const LINK = /\[([^\]\n]{1,300})\]\((\S{1,2000}?)(?:\s+"[^"\n]*")?\)/g;
const MAX_TITLE_CHARS = 200;

/** Extracts plain text or Markdown: the text is the source itself, and its offsets say so. */
export function extractPlainText(
  input: { readonly url: string; readonly text: string; readonly mediaType: string },
  limits: ExtractLimits,
): ExtractedDocument {
  const isCut = input.text.length > limits.maxTextChars;
  const text = isCut ? input.text.slice(0, limits.maxTextChars) : input.text;
  const isMarkdown = input.mediaType === "text/markdown";
  const codeBlocks = isMarkdown ? findCode(text) : [];
  const headings = isMarkdown ? findHeadings(text, codeBlocks) : [];
  const firstLine = text.trimStart().split("\n", 1)[0]?.trim() ?? "";
  return {
    ...emptyDocument({ url: input.url, mediaType: input.mediaType }),
    title: headings[0]?.text ?? (firstLine === "" ? undefined : firstLine.slice(0, MAX_TITLE_CHARS)),
    language: detectLanguage(text, undefined),
    text,
    offsets: text === "" ? [] : [0, text.length, 0, text.length],
    markdown: text,
    headings,
    codeBlocks,
    links: isMarkdown ? findLinks(text, input.url, limits) : [],
    limitsReached: isCut ? ["maxTextChars"] : [],
  };
}

function findHeadings(text: string, code: readonly DocumentCode[]): readonly DocumentHeading[] {
  return [...text.matchAll(HEADING)].flatMap((match) => {
    const start = match.index;
    if (code.some((block) => block.start <= start && start < block.end)) return [];
    return [{ level: match[1]?.length ?? 1, text: match[2] ?? "", start, end: start + match[0].length }];
  });
}

function findCode(text: string): readonly DocumentCode[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const body = match[3] ?? "";
    const start = match.index + match[0].indexOf("\n") + 1;
    return { language: match[2] ?? "", text: body.replace(/\n$/, ""), start, end: start + body.length };
  });
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
