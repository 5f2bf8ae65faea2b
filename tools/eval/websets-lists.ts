import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { findEntities, judgeCriterion, understandQuery, type Entity, type PageText } from "@quarry/websets";
import type { PartOutcome } from "./websets-part.ts";

const NAME = "limit-small";
const DEFAULT_QUERIES = 200;

/** Who likes what: people found by judging every page against the criterion of each query, beside the truth. */
export async function evaluateLists(dataDir: string, sample: number | undefined): Promise<PartOutcome> {
  const folder = path.join(dataDir, NAME);
  if (!existsSync(folder)) return { table: undefined, missing: [NAME] };
  const corpus = readLines(path.join(folder, "corpus.jsonl")) as readonly {
    readonly _id: string;
    readonly text: string;
  }[];
  const queries = readLines(path.join(folder, "queries.jsonl")) as readonly {
    readonly _id: string;
    readonly text: string;
  }[];
  const judged = readLines(path.join(folder, "qrels.jsonl")) as readonly Readonly<Record<string, string | number>>[];
  const truth = new Map<string, Set<string>>();
  for (const row of judged) {
    const query = String(row["query-id"]);
    if (Number(row["score"] ?? 1) > 0) truth.set(query, (truth.get(query) ?? new Set()).add(String(row["corpus-id"])));
  }
  const people = corpus.map(({ _id: id, text }) => {
    const page: PageText = {
      url: `https://people.example/${encodeURIComponent(id)}`,
      title: null,
      text,
      snapshotId: id,
    };
    return { id, page, entity: findEntities({ pages: [page], entity: { type: "person" }, query: "" })[0] };
  });
  const step = Math.max(1, Math.floor(queries.length / (sample ?? DEFAULT_QUERIES)));
  const asked = queries.filter((_, index) => index % step === 0);
  let right = 0;
  let said = 0;
  let wanted = 0;
  let whole = 0;
  for (const { _id: id, text } of asked) {
    const found = new Set<string>();
    const outcome = await understandQuery({ query: text, signal: never });
    const criterion = outcome.kind === "understood" ? (outcome.criteria[0]?.description ?? text) : text;
    for (const person of people) if (await likes(person, criterion)) found.add(person.id);
    const expected = truth.get(id) ?? new Set();
    const hits = [...found].filter((one) => expected.has(one)).length;
    right += hits;
    said += found.size;
    wanted += expected.size;
    if (hits === expected.size && found.size === expected.size) whole += 1;
  }
  const rows = [
    [
      "found sets",
      asked.length,
      right / Math.max(1, said),
      right / Math.max(1, wanted),
      whole / Math.max(1, asked.length),
    ],
  ];
  return {
    table: {
      title: `${NAME}: found sets against the truth (published: BM25 R@2 .978, single vectors fail)`,
      columns: ["what", "queries", "precision", "recall", "whole sets"],
      rows,
    },
    missing: [],
  };
}

const never = new AbortController().signal;

async function likes(
  { page, entity }: { readonly page: PageText; readonly entity: Entity | undefined },
  criterion: string,
): Promise<boolean> {
  if (entity === undefined) return false;
  const { satisfied } = await judgeCriterion({ entity, criterion, pages: [page], signal: never });
  return satisfied === "yes";
}

function readLines(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as unknown);
}
