import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { splitSentences } from "@quarry/retrieval";
import type { Satisfied } from "@quarry/websets";

/** A claim, what it is to be judged by, and what people said. */
export interface JudgedClaim {
  readonly id: string;
  readonly claim: string;
  readonly sentences: readonly string[];
  readonly label: Satisfied;
  /** What a second person said who saw the same sentences and no more, where that is told. */
  readonly second?: Satisfied | undefined;
  readonly split: "train" | "test";
}

/** A judged set of claims. */
export interface ClaimSet {
  readonly name: string;
  readonly claims: readonly JudgedClaim[];
  /** How train and test were told apart. */
  readonly splitBy: string;
  readonly published: string;
}

/** The folders of the sets, in the order of the table. */
export const CLAIM_SETS = ["wice-dev", "climate-fever", "pubmedqa"] as const;

/** Reads the sets of a folder; undefined when it is not on this machine. */
export function readClaimSets(
  dataDir: string,
  name: (typeof CLAIM_SETS)[number],
): readonly [ClaimSet, ...ClaimSet[]] | undefined {
  const folder = path.join(dataDir, name);
  if (!existsSync(folder)) return undefined;
  switch (name) {
    case "wice-dev":
      return [readWice(folder)];
    case "climate-fever":
      return readClimateFever(folder);
    case "pubmedqa":
      return [readPubMedQa(folder)];
  }
}

/** Half of the ids by hash, where a set has no split of its own. */
function splitOf(id: string): "train" | "test" {
  return (createHash("sha256").update(id).digest()[0] ?? 0) % 2 === 0 ? "train" : "test";
}

function readLines(file: string): readonly unknown[] {
  return gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as unknown);
}

function readWice(folder: string): ClaimSet {
  const labels = { supported: "yes", partially_supported: "unclear", not_supported: "no" } as const;
  const rows = readLines(path.join(folder, "claim.dev.jsonl.gz")) as readonly {
    label: keyof typeof labels;
    claim: string;
    evidence: readonly string[];
  }[];
  return {
    name: "wice-dev",
    claims: rows.map(({ label, claim, evidence }) => ({
      id: claim,
      claim,
      sentences: evidence,
      label: labels[label],
      split: splitOf(claim),
    })),
    splitBy: "hash of the claim (only the dev part is public here)",
    published: "official test, oracle evidence, accuracy: T5-3B(ANLI) .740, GPT-3.5 .320, GPT-4 .770",
  };
}

/** Claims by their five sentences, which is what the set's authors judge, and by each sentence alone. */
function readClimateFever(folder: string): readonly [ClaimSet, ClaimSet] {
  const labels = { SUPPORTS: "yes", REFUTES: "no", NOT_ENOUGH_INFO: "unclear", DISPUTED: "unclear" } as const;
  const rows = readLines(path.join(folder, "climate-fever.jsonl.gz")) as readonly {
    claim_id: string;
    claim: string;
    claim_label: keyof typeof labels;
    evidences: readonly { evidence_id: string; evidence_label: keyof typeof labels; evidence: string }[];
  }[];
  const splitBy = "hash of the claim";
  return [
    {
      name: "climate-fever",
      claims: rows.map(({ claim_id: id, claim, claim_label: label, evidences }) => ({
        id,
        claim,
        sentences: evidences.map(({ evidence }) => evidence),
        label: labels[label],
        split: splitOf(claim),
      })),
      splitBy,
      published: "from memory: ALBERT on FEVER accuracy .388, weighted F1 .329",
    },
    {
      name: "climate-fever, one sentence",
      claims: rows.flatMap(({ claim_id: id, claim, evidences }) =>
        evidences.map(({ evidence_id: evidenceId, evidence_label: label, evidence }) => ({
          id: `${id} ${evidenceId}`,
          claim,
          sentences: [evidence],
          label: labels[label],
          // by claim, so that no claim is on both sides
          split: splitOf(claim),
        })),
      ),
      splitBy,
      published: "a second annotator agrees with .62 of an annotator's yes",
    },
  ];
}

function readPubMedQa(folder: string): ClaimSet {
  const labels = { yes: "yes", no: "no", maybe: "unclear" } as const;
  const all = JSON.parse(gunzipSync(readFileSync(path.join(folder, "ori_pqal.json.gz"))).toString("utf8")) as Readonly<
    Record<
      string,
      {
        QUESTION: string;
        CONTEXTS: readonly string[];
        final_decision: keyof typeof labels;
        reasoning_required_pred: keyof typeof labels;
      }
    >
  >;
  const test = JSON.parse(readFileSync(path.join(folder, "test_ground_truth.json"), "utf8")) as Readonly<
    Record<string, string>
  >;
  return {
    name: "pubmedqa",
    claims: Object.entries(all).map(([id, one]) => ({
      id,
      claim: one.QUESTION,
      sentences: one.CONTEXTS.flatMap((text) => splitSentences(text).map(({ start, end }) => text.slice(start, end))),
      label: labels[one.final_decision],
      second: labels[one.reasoning_required_pred],
      split: id in test ? "test" : "train",
    })),
    splitBy: "official test ids; trained on the other 500, conclusions not shown",
    published: "from memory: human .780, BioBERT .681 accuracy",
  };
}
