import type { SearchResult, Warning } from "@quarry/contract";
import type { Output } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { paint } from "./paint.ts";

const INDENT = "   ";
const DEFAULT_COLUMNS = 100;
const MAX_COLUMNS = 120;

/** Results one below the other: place, title, address, what is known, and the contents that were asked for. */
export function renderResults(output: Output, results: readonly SearchResult[], query: string): string {
  if (results.length === 0) return "No results.";
  return results.map((result, index) => renderResult(output, result, { place: index + 1, query })).join("\n\n");
}

/** Pages as they were read: a heading and the text. */
export function renderPages(output: Output, results: readonly SearchResult[]): string {
  return results
    .map((result) => {
      const heading = `${paint(output, "bold", harmless(result.title))}\n${paint(output, "cyan", harmless(result.url))}`;
      const parts = [heading, ...contentsOf(output, result, { query: "", indent: "" })];
      return parts.join("\n\n");
    })
    .join("\n\n");
}

/** Remarks beside a reply go to the person, not into the data. */
export function sayWarnings(io: CommandIo, warnings: readonly Warning[] | undefined): void {
  for (const { message } of warnings ?? []) io.warn(harmless(message));
}

function renderResult(
  output: Output,
  result: SearchResult,
  shown: { readonly place: number; readonly query: string },
): string {
  const facts = [result.publishedDate?.slice(0, 10), result.author, result.score?.toFixed(3)].filter(
    (fact) => fact != null && fact !== "",
  );
  const number = `${shown.place}.`.padEnd(INDENT.length);
  return [
    `${number}${paint(output, "bold", harmless(result.title))}`,
    `${INDENT}${paint(output, "cyan", harmless(result.url))}`,
    ...(facts.length === 0 ? [] : [`${INDENT}${paint(output, "dim", harmless(facts.join(" · ")))}`]),
    ...contentsOf(output, result, { query: shown.query, indent: INDENT }),
  ].join("\n");
}

function contentsOf(
  output: Output,
  { highlights, summary, text }: SearchResult,
  how: { readonly query: string; readonly indent: string },
): readonly string[] {
  const width = columnsOf(output) - how.indent.length;
  const block = (words: string, mark: string): string =>
    wrap(harmless(words), width - mark.length)
      .map((line, index) => `${how.indent}${index === 0 ? mark : " ".repeat(mark.length)}${line}`)
      .join("\n");
  return [
    ...(highlights ?? []).map((highlight) => boldWords(output, block(highlight, "▸ "), how.query)),
    ...(summary === undefined || summary === "" ? [] : [block(summary, "")]),
    ...(text === undefined ? [] : [harmlessLines(text).replaceAll(/^/gm, how.indent).trimEnd()]),
  ];
}

/** The query's words in bold, wherever they stand in what is shown. */
function boldWords(output: Output, text: string, query: string): string {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])].slice(0, 20);
  if (words.length === 0 || !output.hasColors) return text;
  const stems = words.map((word) => (word.length > 5 ? word.slice(0, -2) : word)).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join("|")})[\\p{L}\\p{N}]*`, "giu");
  return text.replaceAll(pattern, (word) => paint(output, "bold", word));
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function columnsOf({ stream }: Output): number {
  const columns: unknown = "columns" in stream ? stream.columns : undefined;
  return Math.min(typeof columns === "number" && columns > 40 ? columns : DEFAULT_COLUMNS, MAX_COLUMNS);
}

/** A page's text may carry sequences that drive a terminal: shown as one harmless line. */
function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");
}

function harmlessLines(text: string): string {
  return text.split("\n").map(harmless).join("\n");
}
