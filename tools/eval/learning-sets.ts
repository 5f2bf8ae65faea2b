import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { chunkText } from "@quarry/retrieval";
import { makeAttributeSet } from "./attribute-set.ts";
import { halfOf, readHighlightSet } from "./search-highlights.ts";
import type { JudgedDocument, JudgedSet } from "./search-sets.ts";

/** Reads a set that is there for learning alone, or undefined when it is none or not on this machine. */
export function readLearningSet(dataDir: string, name: string): JudgedSet | undefined {
  if (name === "attributes") return makeAttributeSet();
  if (name === "passages") return readPassages(dataDir);
  return name === "papers" ? readPapers(dataDir) : undefined;
}

/** An excerpt with fewer characters in a passage than this is not answered by it. */
const MIN_EXCERPT = 60;

/** Questions, of the half that highlights are tuned on, and the passages of long texts that answer them. */
function readPassages(dataDir: string): JudgedSet | undefined {
  const set = readHighlightSet(dataDir);
  if (set === undefined) return undefined;
  const passages = new Map(
    [...set.texts].map(([corpus, text]) => [
      corpus,
      chunkText(text, [], { title: null }).map(({ start, end }, number) => {
        const id = `${corpus}-${number}`;
        return {
          start,
          end,
          document: { id, url: `https://c.example/${id}`, title: null, text: text.slice(start, end) },
        };
      }),
    ]),
  );
  const train = set.questions
    .filter((question) => halfOf(question) === "tuned on")
    .map(({ corpus, question, references }, number) => ({
      id: `question-${number}`,
      text: question,
      relevant: new Map(
        (passages.get(corpus) ?? [])
          .filter(({ start, end }) => {
            const shares = references.map((range) => Math.min(range.end, end) - Math.max(range.start, start));
            return shares.reduce((sum, share) => sum + Math.max(0, share), 0) > MIN_EXCERPT;
          })
          .map(({ document }) => [document.id, 1]),
      ),
    }))
    .filter(({ relevant }) => relevant.size > 0);
  return {
    name: "chunking-eval",
    documents: [...passages.values()].flat().map(({ document }) => document),
    queries: { train },
    measure: "MRR",
    published: "none",
  };
}

/** Every so many-th paper of the anthology is in, and every so many-th of these is asked for by its title. */
const PAPER_STEP = 30;
const TITLE_STEP = 5;

/** Abstracts, asked for by the titles they do not have. */
function readPapers(dataDir: string): JudgedSet | undefined {
  const file = path.join(dataDir, "acl-anthology", "acl-2016-2026.jsonl.gz");
  if (!existsSync(file)) return undefined;
  const papers = gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .filter((_, index) => index % PAPER_STEP === 0)
    .map((line) => JSON.parse(line) as { readonly id: string; readonly title: string; readonly abstract: string });
  const documents = papers.map(({ id, abstract }): JudgedDocument => ({
    id,
    url: `https://acl.example/${id}`,
    title: null,
    text: abstract,
  }));
  const asked = papers.filter((_, index) => index % TITLE_STEP === 0);
  return {
    name: "acl",
    documents,
    queries: { train: asked.map(({ id, title }) => ({ id, text: title, relevant: new Map([[id, 1]]) })) },
    measure: "MRR",
    published: "none",
  };
}
