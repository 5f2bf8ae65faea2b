import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { applyLazyEdit, diffTexts, looksPartial } from "@quarry/agent";
import type { Evaluation } from "./evaluation.ts";
import { judgePatches } from "./edits-patches.ts";

/** What became of a case: as expected, refused, or something else. */
export type EditVerdict = "right" | "refused" | "wrong";

/** One judged case. */
export interface JudgedEdit {
  readonly name: string;
  readonly verdict: EditVerdict;
}

/** Edits that others have judged: patches in the apply_patch form, edits that leave code out, and diffs. */
export const editsEvaluation: Evaluation = {
  name: "edits",
  run: async ({ dataDir, progress }) => {
    const patches = path.join(dataDir, "codex-apply-patch", "scenarios");
    const lazy = path.join(dataDir, "continue-lazy-edits");
    const sets: { readonly name: string; readonly cases: readonly JudgedEdit[] }[] = [];
    const skipped: string[] = [];
    if (existsSync(patches)) sets.push({ name: "codex-apply-patch", cases: await judgePatches(patches) });
    else skipped.push("codex-apply-patch");
    if (existsSync(lazy)) {
      sets.push({ name: "continue-lazy-edits", cases: judgeLazyEdits(path.join(lazy, "lazy")) });
      sets.push({ name: "continue-diffs", cases: judgeDiffs(path.join(lazy, "diff")) });
    } else skipped.push("continue-lazy-edits");
    for (const { name, cases } of sets) {
      for (const each of cases) if (each.verdict !== "right") progress(`${name} ${each.name}: ${each.verdict}`);
    }
    const rows = sets.map(({ name, cases }) => [
      name,
      cases.length,
      ...VERDICTS.map((verdict) => count(cases, verdict)),
    ]);
    return {
      skipped,
      tables: [{ title: "Edits: what became of each", columns: ["set", "cases", ...VERDICTS], rows }],
      figures: Object.fromEntries(sets.map(({ name, cases }) => [name, cases])),
    };
  },
};

const VERDICTS = ["right", "refused", "wrong"] as const;

/** Judges the edits of a folder that leave code out: file, edit and expected diff, between lines of three dashes. */
export function judgeLazyEdits(folder: string): readonly JudgedEdit[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".diff"))
    .map((name) => {
      const [file = "", edit = "", diff = ""] = readParts(path.join(folder, name));
      const outcome = applyLazyEdit(file, edit);
      const isRefused =
        outcome.kind === "refused" || (outcome.kind === "whole" && looksPartial(file, edit) !== undefined);
      if (isRefused) return { name, verdict: "refused" };
      const text = outcome.kind === "applied" ? outcome.text : edit;
      return { name, verdict: bare(text) === bare(afterOf(diff)) ? "right" : "wrong" };
    });
}

/** Judges our diffs by their reach: what they make of the first text must be the second, with no more lines changed than others need. */
export function judgeDiffs(folder: string): readonly JudgedEdit[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".diff"))
    .map((name) => {
      const [before = "", after = "", expected = ""] = readParts(path.join(folder, name));
      const { linesAdded, linesRemoved } = diffTexts(`${before}\n`, `${after}\n`);
      const most = expected.split("\n").filter((line) => /^[+-]/.test(line)).length;
      return { name, verdict: linesAdded + linesRemoved <= most ? "right" : "wrong" };
    });
}

function readParts(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .split("\n---\n")
    .map((part) => part.replace(/^\n+/, "").trimEnd());
}

/** The text that an expected diff leads to. */
function afterOf(diff: string): string {
  return diff
    .split("\n")
    .filter((line) => !/^-( |$)/.test(line) && !/^-\s{2,}/.test(line))
    .map((line) => line.replace(/^\+ ?/, ""))
    .join("\n");
}

/** Space at the ends of lines is not judged. */
function bare(text: string): string {
  return text.replace(/[ \t]+$/gm, "").trim();
}

function count(cases: readonly JudgedEdit[], verdict: EditVerdict): number {
  return cases.filter((each) => each.verdict === verdict).length;
}
