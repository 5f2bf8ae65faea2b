import path from "node:path";
import { extractHtml } from "@quarry/extract";
import { readArchive } from "./extract-archives.ts";
import { compareBags, mean, scoreWords } from "./extract-scores.ts";
import type { Table } from "./print-table.ts";

/** What a Markdown text is made of, as lists that two texts can be compared by. */
const PARTS: Readonly<Record<string, (markdown: string) => readonly string[]>> = {
  headings: (markdown) => matchesOf(outsideCode(markdown), /^(#{1,6} .*)$/gm),
  "code blocks": (markdown) => matchesOf(markdown, /^ *(?:```|~~~~)[^\n]*\n(.*?)\n *(?:```|~~~~) *$/gms),
  "code languages": (markdown) => matchesOf(markdown, /^ *```([a-z0-9+#-]+)\n/gm),
  "table rows": (markdown) => matchesOf(outsideCode(markdown), /^(\|(?! ?-{3}).*\|) *$/gm),
  "list items": (markdown) => matchesOf(outsideCode(markdown), /^ *((?:[-*+]|\d+\.) .*)$/gm),
  links: (markdown) => matchesOf(outsideCode(markdown), /(?<!!)\[[^\]]*\]\((\S+?)(?: "[^"]*")?\)/g),
  footnotes: (markdown) => matchesOf(outsideCode(markdown), /(\[\^[^\]]+\])/g),
  math: (markdown) => matchesOf(outsideCode(markdown), /(\$\$.+?\$\$|\$[^$\n]+\$)/gs),
};

/**
 * How far our text and Markdown agree with Defuddle's own on its fixtures. They are one program's style, not a
 * judgement: a disagreement is a place to look at, and the figure is no target.
 */
export function compareMarkdown(dataDir: string): Table | undefined {
  const files = readArchive(path.join(dataDir, "defuddle-fixtures", "fixtures.tar.gz"));
  if (files === undefined) return undefined;
  const words: number[] = [];
  const sums = new Map(Object.keys(PARTS).map((name) => [name, { shared: 0, ours: 0, theirs: 0, pages: 0 }]));
  for (const [name, html] of files) {
    const slug = /([^/]+)\.html$/.exec(name)?.[1];
    const expected = slug === undefined ? undefined : files.get(`expected/${slug}.md`);
    if (expected === undefined) continue;
    const theirs = expected.replace(/^```json\n.*?\n```\n/s, "");
    const url = /^\s*<!--\s*\{[^}]*"url":\s*"([^"]+)"/.exec(html)?.[1] ?? `https://${slug ?? ""}.example/`;
    const ours = extractHtml({ url, html }).markdown;
    words.push(scoreWords(theirs, ours).f1);
    for (const [part, read] of Object.entries(PARTS)) {
      const sum = sums.get(part);
      const wanted = read(theirs).map(squeeze);
      const had = read(ours).map(squeeze);
      if (sum === undefined || wanted.length + had.length === 0) continue;
      sum.shared += compareBags(wanted, had).shared;
      sum.theirs += wanted.length;
      sum.ours += had.length;
      sum.pages += 1;
    }
  }
  return {
    title: "defuddle-fixtures: agreement with Defuddle's Markdown (a style, not a judgement)",
    columns: ["part", "pages", "agreement (F1)", "ours", "Defuddle's"],
    rows: [
      ["words", words.length, mean(words), "", ""],
      ...[...sums].map(([part, { shared, ours, theirs, pages }]) => [
        part,
        pages,
        (2 * shared) / Math.max(1, ours + theirs),
        ours,
        theirs,
      ]),
    ],
  };
}

function outsideCode(markdown: string): string {
  return markdown.replace(/^ *(```|~~~~).*?^ *\1 *$/gms, "");
}

function matchesOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** Emphasis, escapes and spacing are a matter of style. */
function squeeze(text: string): string {
  return text.replace(/[\s*_\\`]/g, "");
}
