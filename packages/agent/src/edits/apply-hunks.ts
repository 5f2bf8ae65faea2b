import { describeMiss, type Miss } from "./describe-miss.ts";
import type { FoundText, MatchStep } from "./find-text.ts";
import { fitReplacement } from "./fit-replacement.ts";
import { foldPunctuation } from "./fold-punctuation.ts";
import type { PatchHunk } from "./parse-patch.ts";
import { eolOf } from "../workspace/text-file.ts";
import { indentOf } from "./reindent.ts";

/** What became of a file's hunks: all of them or none. `hunk` counts from 1. */
export type HunksOutcome =
  | { readonly kind: "patched"; readonly text: string }
  | { readonly kind: "missing"; readonly hunk: number; readonly miss: Miss }
  | { readonly kind: "ambiguous"; readonly hunk: number; readonly lines: readonly number[] };

/** How lines are compared, each step forgiving more. */
const STEPS: readonly { readonly step: MatchStep; readonly form: (line: string) => string }[] = [
  { step: "exact", form: (line) => line },
  { step: "trailing-space", form: (line) => line.trimEnd() },
  { step: "indent", form: (line) => line.trim() },
  { step: "punctuation", form: (line) => foldPunctuation(line).trim() },
];

/**
 * Applies hunks in their order, each below the one before. A hunk whose old lines stand at several places is
 * refused unless it says where: by a line above, by its number, or by being the end of the file.
 */
export function applyHunks(original: string, hunks: readonly PatchHunk[]): HunksOutcome {
  const mark = original.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = original.slice(mark.length);
  let lines: readonly Line[] = splitLines(body);
  const eol = eolOf(body);
  let cursor = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(textsOf(lines), hunk, { cursor, shift });
    if (place.kind !== "found") return { ...place, hunk: index + 1 };
    const { start, found } = place;
    const end = start + hunk.oldLines.length;
    const region = lines.slice(start, end);
    const fitted = fitLines(textsOf(region), found, hunk);
    if (fitted === undefined) {
      return { kind: "missing", hunk: index + 1, miss: describeMiss(textsOf(region), hunk.oldLines) };
    }
    // A last line without an end gets one when it is changed, or when others follow it.
    const before = lines.slice(0, start).map((line) => ({ ...line, end: line.end || eol }));
    const changed = fitted.map((text, at) => ({ text, end: (region[at]?.end ?? "") || eol }));
    lines = [...before, ...changed, ...lines.slice(end)];
    cursor = start + fitted.length;
    shift += fitted.length - hunk.oldLines.length;
  }
  return { kind: "patched", text: mark + lines.map(({ text, end }) => text + end).join("") };
}

/** A line and what ends it; nothing, where the file ends without a line end. */
interface Line {
  readonly text: string;
  readonly end: string;
}

function splitLines(text: string): readonly Line[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const end = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
    return { text: line.slice(0, line.length - end.length), end };
  });
}

function textsOf(lines: readonly Line[]): readonly string[] {
  return lines.map(({ text }) => text);
}

type Place =
  | { readonly kind: "found"; readonly start: number; readonly found: FoundText | undefined }
  | { readonly kind: "missing"; readonly miss: Miss }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] };

function placeOf(
  lines: readonly string[],
  hunk: PatchHunk,
  from: { readonly cursor: number; readonly shift: number },
): Place {
  const { oldLines, headers } = hunk;
  let [begin, end] = [from.cursor, lines.length];
  for (const header of headers) {
    const at = startsOf(lines, [header], begin).starts.filter((start) => start < end);
    const [first] = at;
    if (first === undefined) return { kind: "missing", miss: describeMiss(lines, [header]) };
    if (at.length > 1) return { kind: "ambiguous", lines: at.map((start) => start + 1) };
    [begin, end] = [first + 1, endOfBlock(lines, first)];
  }
  const hinted = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1 + from.shift;
  if (oldLines.length === 0) {
    // Lines that are only added go to the end; below a line that is named they could go anywhere.
    if (headers.length > 0) return { kind: "missing", miss: describeMiss(lines, headers) };
    const start = hinted === undefined ? lines.length : Math.min(hinted + 1, lines.length);
    return { kind: "found", start, found: undefined };
  }
  const { starts: all, step } = startsOf(lines, oldLines, begin);
  const starts = all.filter((start) => start < end);
  const found: FoundText = { step, isByWhitespace: step === "indent", spans: [], search: oldLines.join("\n") };
  const named =
    starts.find((start) => start === hinted) ??
    (hunk.isAtEnd ? starts.find((start) => start + oldLines.length === lines.length) : undefined) ??
    (starts.length === 1 ? starts[0] : undefined);
  if (named !== undefined) return { kind: "found", start: named, found };
  if (starts.length === 0) return { kind: "missing", miss: describeMiss(lines, oldLines) };
  return { kind: "ambiguous", lines: starts.map((start) => start + 1) };
}

/** The end of what a line is the head of: the next filled line that is not deeper, its closing bracket included. */
function endOfBlock(lines: readonly string[], head: number): number {
  const depth = indentOf(lines[head] ?? "").length;
  const next = lines.findIndex((line, at) => at > head && line.trim() !== "" && indentOf(line).length <= depth);
  const isFlat = lines.findIndex((line, at) => at > head && line.trim() !== "") === next;
  if (next === -1 || isFlat) return lines.length; // a heading, not the head of a block
  return /^[\])}]/.test((lines[next] ?? "").trim()) ? next + 1 : next;
}

function startsOf(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
): { readonly starts: readonly number[]; readonly step: MatchStep } {
  for (const { step, form } of STEPS) {
    const formed = wanted.map(form);
    const starts: number[] = [];
    for (let start = from; start + wanted.length <= lines.length; start += 1) {
      if (formed.every((line, offset) => form(lines[start + offset] ?? "") === line)) starts.push(start);
    }
    if (starts.length > 0) return { starts, step };
  }
  return { starts: [], step: "exact" };
}

function fitLines(
  region: readonly string[],
  found: FoundText | undefined,
  hunk: PatchHunk,
): readonly string[] | undefined {
  if (found === undefined || hunk.newLines.length === 0) return hunk.newLines;
  return fitReplacement(region.join("\n"), found, hunk.newLines.join("\n"))?.split("\n");
}
