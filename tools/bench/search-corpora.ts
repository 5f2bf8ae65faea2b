import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { isUrl } from "@quarry/base";
import { makeGeneratedPage, makeGeneratedQueries } from "./generated-pages.ts";

/** A page to load and search. */
export interface BenchPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

/** Pages and what is asked of them. */
export interface Corpus {
  readonly name: string;
  readonly pages: readonly BenchPage[];
  readonly queries: readonly string[];
}

const GENERATED_PAGES = 100_000;

/** A fraction of the records of the anthology, where they are at hand, and of the made-up pages; each with so many queries. */
export function readCorpora(size: number, queryCount: number): readonly Corpus[] {
  const anthology = readAnthology(size, queryCount);
  return [...(anthology === undefined ? [] : [anthology]), makeGeneratedCorpus(size, queryCount)];
}

function readAnthology(size: number, queryCount: number): Corpus | undefined {
  const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
  const file = path.join(dataDir, "acl-anthology", "acl-2016-2026.jsonl.gz");
  if (!existsSync(file)) return undefined;
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  const records = lines
    .slice(0, Math.max(1, Math.round(lines.length * size)))
    .map((line) => JSON.parse(line) as { id: string; title: string; abstract: string; url: string });
  const pages = records.map(({ id, title, abstract, url }) => ({
    url: isUrl(url) ? url : `https://aclanthology.example/${id}`,
    title,
    text: abstract,
  }));
  const step = Math.max(1, Math.floor(pages.length / queryCount));
  const queries = pages
    .filter((_, place) => place % step === 0)
    .map(({ title }) => title.split(" ").slice(0, 6).join(" "));
  return { name: "acl-anthology", pages, queries: queries.slice(0, queryCount) };
}

/** A fraction of the made-up pages. */
export function makeGeneratedCorpus(size: number, queryCount: number): Corpus {
  const count = Math.max(1, Math.round(GENERATED_PAGES * size));
  const pages = Array.from({ length: count }, (_, number) => {
    const { url, title, text } = makeGeneratedPage(number);
    return { url, title: title ?? "", text };
  });
  return { name: "generated", pages, queries: makeGeneratedQueries(queryCount) };
}
