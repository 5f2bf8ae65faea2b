import { diffArrays } from "diff";

/** A merge of two changes of the same lines, or where they collide. */
export type MergeOutcome =
  | { readonly kind: "merged"; readonly lines: readonly string[] }
  /** `baseLine` counts from 1. */
  | { readonly kind: "conflict"; readonly baseLine: number };

interface Change {
  /** In the base: from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Applies two sets of changes of the same base. Changes that touch the same lines, or meet without a line between them, collide unless they are the same. */
export function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[]): MergeOutcome {
  const left = changesOf(base, ours);
  const right = changesOf(base, theirs);
  const merged: string[] = [];
  let at = 0;
  while (left.length > 0 || right.length > 0) {
    const [a, b] = [left[0], right[0]];
    const next = b === undefined || (a !== undefined && a.start <= b.start) ? a : b;
    if (next === undefined) break;
    if (a !== undefined && b !== undefined && meets(a, b)) {
      if (!isSame(a, b)) return { kind: "conflict", baseLine: Math.max(a.start, b.start) + 1 };
      right.shift();
    }
    merged.push(...base.slice(at, next.start), ...next.lines);
    at = next.end;
    if (next === a) left.shift();
    else right.shift();
  }
  merged.push(...base.slice(at));
  return { kind: "merged", lines: merged };
}

/** Merges whole texts by their lines; the line ends of `ours` win where both have none in common. */
export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
): { readonly kind: "merged"; readonly text: string } | Extract<MergeOutcome, { kind: "conflict" }> {
  const outcome = mergeLines(base.split("\n"), ours.split("\n"), theirs.split("\n"));
  return outcome.kind === "conflict" ? outcome : { kind: "merged", text: outcome.lines.join("\n") };
}

function changesOf(base: readonly string[], changed: readonly string[]): Change[] {
  const changes: Change[] = [];
  let at = 0;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const part of diffArrays([...base], [...changed])) {
    if (!part.added && !part.removed) {
      if (open !== undefined) changes.push(open);
      open = undefined;
      at += part.value.length;
      continue;
    }
    open ??= { start: at, end: at, lines: [] };
    if (part.added) open.lines.push(...part.value);
    else {
      at += part.value.length;
      open.end = at;
    }
  }
  if (open !== undefined) changes.push(open);
  return changes;
}

function meets(a: Change, b: Change): boolean {
  return a.start <= b.end && b.start <= a.end;
}

function isSame(a: Change, b: Change): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => line === b.lines[index])
  );
}
