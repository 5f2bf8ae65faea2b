import type { Embedder } from "@quarry/models";
import { embedClaim, judgeClaim } from "@quarry/websets";
import type { PartOutcome } from "./websets-part.ts";
import { scoreVerdicts } from "./websets-verdict-scores.ts";
import { CLAIM_SETS, readClaimSets, type JudgedClaim } from "./websets-verdict-sets.ts";

/** Verdicts on the test part of each set, beside the majority's and what others published. */
export async function evaluateVerdicts(
  dataDir: string,
  sample: number | undefined,
  embedder: Embedder,
): Promise<PartOutcome> {
  const missing: string[] = [];
  const rows: (string | number)[][] = [];
  const sets = CLAIM_SETS.flatMap((name) => {
    const there = readClaimSets(dataDir, name);
    if (there === undefined) missing.push(name);
    return there ?? [];
  });
  for (const set of sets) {
    const { name } = set;
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
    const judged: (Parameters<typeof judgeClaim>[0] & Pick<JudgedClaim, "label">)[] = [];
    for (const claim of claims) judged.push({ ...claim, vectors: await embedClaim(embedder.embed, claim) });
    for (const bars of ["balanced", "strict"] as const) {
      const ours = scoreVerdicts(
        judged.map((claim) => ({ label: claim.label, said: judgeClaim(claim, bars).satisfied })),
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
