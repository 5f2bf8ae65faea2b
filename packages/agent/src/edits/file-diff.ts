import type { JsonObject } from "@bufbuild/protobuf";
import { structuredPatch, type StructuredPatchHunk } from "diff";

/** How long two texts are compared before the change is shown as one whole chunk. */
const DIFF_TIMEOUT_MS = 1_000;
const CONTEXT_LINES = 3;

/** A change of a text by its chunks. */
export interface TextDiff {
  readonly chunks: readonly StructuredPatchHunk[];
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** The texts were too different to compare in time; the one chunk replaces everything. */
  readonly hitTimeout: boolean;
}

/** Compares two texts by lines; line ends count only where nothing else differs. */
export function diffTexts(before: string, after: string): TextDiff {
  const [old, changed] = onlyLineEndsDiffer(before, after) ? [before, after] : [unify(before), unify(after)];
  const differing = withoutCommonEnds(old, changed);
  const patch = structuredPatch("", "", differing.before, differing.after, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: DIFF_TIMEOUT_MS,
  });
  const { linesAbove } = differing;
  const chunks =
    patch === undefined
      ? [wholeChunk(old, changed)]
      : patch.hunks.map((hunk) => ({
          ...hunk,
          oldStart: hunk.oldStart + linesAbove,
          newStart: hunk.newStart + linesAbove,
        }));
  const lines = chunks.flatMap((chunk) => chunk.lines);
  return {
    chunks,
    linesAdded: lines.filter((line) => line.startsWith("+")).length,
    linesRemoved: lines.filter((line) => line.startsWith("-")).length,
    hitTimeout: patch === undefined,
  };
}

/** The change as EditFileResult.FileDiff. */
export function toFileDiff(diff: TextDiff): JsonObject {
  return {
    chunks: diff.chunks.map((chunk) => ({
      diffString: chunk.lines.join("\n"),
      oldStart: chunk.oldStart,
      newStart: chunk.newStart,
      oldLines: chunk.oldLines,
      newLines: chunk.newLines,
      linesRemoved: chunk.lines.filter((line) => line.startsWith("-")).length,
      linesAdded: chunk.lines.filter((line) => line.startsWith("+")).length,
    })),
    editor: "EDITOR_AI",
    ...(diff.hitTimeout ? { hitTimeout: true } : {}),
  };
}

/** The change as a person reads it: a unified diff, cut at `maxCharacters`. */
export function toUnifiedDiff(name: string, diff: TextDiff, maxCharacters: number): string {
  const body = diff.chunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  const text = [`--- a/${name}`, `+++ b/${name}`, ...body].join("\n");
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters of the diff are not shown`;
}

/**
 * The parts of two texts that differ, with the lines around them that a chunk shows:
 * most edits change a few lines of many, and comparing the others takes its time.
 */
function withoutCommonEnds(
  before: string,
  after: string,
): { readonly before: string; readonly after: string; readonly linesAbove: number } {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  let start = lineStart(before, same);
  for (let line = 0; line < CONTEXT_LINES && start > 0; line += 1) start = lineStart(before, start - 1);
  const most = shorter - same;
  let alike = 0;
  while (alike < most && before.charCodeAt(before.length - 1 - alike) === after.charCodeAt(after.length - 1 - alike))
    alike += 1;
  let end = before.length - alike;
  for (let line = 0; line <= CONTEXT_LINES && end < before.length; line += 1) {
    const next = before.indexOf("\n", end);
    end = next === -1 ? before.length : next + 1;
  }
  const above = before.slice(0, start);
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - (before.length - end)),
    linesAbove: above.length === 0 ? 0 : above.split("\n").length - 1,
  };
}

/** Where the line begins that a position lies in. */
function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function unify(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function onlyLineEndsDiffer(before: string, after: string): boolean {
  return before !== after && unify(before) === unify(after);
}

function wholeChunk(before: string, after: string): StructuredPatchHunk {
  const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  const [removed, added] = [linesOf(before), linesOf(after)];
  return {
    oldStart: removed.length === 0 ? 0 : 1,
    oldLines: removed.length,
    newStart: added.length === 0 ? 0 : 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}
