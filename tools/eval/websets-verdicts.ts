import { judgeClaim } from "@quarry/websets";
import type { PartOutcome } from "./websets-part.ts";
import { scoreVerdicts } from "./websets-verdict-scores.ts";
import { CLAIM_SETS, readClaimSet } from "./websets-verdict-sets.ts";

/** Verdicts on the test part of each set, beside the majority's and what others published. */
export function evaluateVerdicts(dataDir: string, sample: number | undefined): PartOutcome {
  const missing: string[] = [];
  const rows: (string | number)[][] = [];
  for (const name of CLAIM_SETS) {
    const set = readClaimSet(dataDir, name);
    if (set === undefined) {
      missing.push(name);
      continue;
    }
    const all = set.claims.filter(({ split }) => split === "test");
    const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
    const claims = all.filter((_, index) => index % step === 0);
    const labels = (["yes", "no", "unclear"] as const).map((label) => ({
      label,
      count: claims.filter((claim) => claim.label === label).length,
    }));
    const majority = labels.sort((one, other) => other.count - one.count)[0]?.label ?? "unclear";
    const base = scoreVerdicts(claims.map(({ label }) => ({ label, said: majority })));
    rows.push([
      `${name}, always ${majority}`,
      claims.length,
      base.accuracy,
      base.macroF1,
      base.yesPrecision,
      base.yesRecall,
      base.noF1,
      base.unclearF1,
      set.splitBy,
    ]);
    for (const bars of ["balanced", "strict"] as const) {
      const ours = scoreVerdicts(
        claims.map((claim) => ({ label: claim.label, said: judgeClaim(claim, bars).satisfied })),
      );
      const { accuracy, macroF1, yesPrecision, yesRecall, noF1, unclearF1 } = ours;
      rows.push([
        `${name}, ${bars}`,
        claims.length,
        accuracy,
        macroF1,
        yesPrecision,
        yesRecall,
        noF1,
        unclearF1,
        set.published,
      ]);
    }
  }
  const columns = [
    "set",
    "claims",
    "accuracy",
    "macro-F1",
    "P(yes)",
    "R(yes)",
    "F1(no)",
    "F1(unclear)",
    "split; published",
  ];
  return {
    table: rows.length === 0 ? undefined : { title: "verdicts on test parts, without a language model", columns, rows },
    missing,
  };
}
