import type { Judgment } from "./judged-shapes.ts";

const BEST = 3;

/** Reads judgments as they are typed, one a line: an address, and its grade where it is not the best. */
export function readJudgments(text: string): readonly Judgment[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [, url = line, grade] = /^(\S+)\s+(\d+)$/.exec(line) ?? [];
      return { url, grade: grade === undefined ? BEST : Number(grade) };
    });
}

/** Judgments as they are typed. */
export function writeJudgments(judgments: readonly Judgment[]): string {
  return judgments.map(({ url, grade }) => (grade === BEST ? url : `${url} ${grade}`)).join("\n");
}
