import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { extractHtml } from "@quarry/extract";

/** A document of a judged set. */
export interface JudgedDocument {
  readonly id: string;
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** A query with the gain of each document that answers it. */
export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  readonly relevant: ReadonlyMap<string, number>;
}

/** A collection with queries by split; `test` is what is reported, and no one learns from it. */
export interface JudgedSet {
  readonly name: string;
  readonly documents: readonly JudgedDocument[];
  readonly queries: Readonly<Partial<Record<Split, readonly JudgedQuery[]>>>;
  /** The figure this set is known by. */
  readonly measure: Measure;
  /** What others reached, in a few words. */
  readonly published: string;
}

/** The splits of a set. */
export type Split = "train" | "dev" | "test";
/** A figure of merit. */
export type Measure = "nDCG@10" | "MAP" | "MRR" | "R@2" | "R@100";

/** Every set, by name; those of the report that have no train split are never learnt from. */
export const SEARCH_SETS = [
  "nfcorpus",
  "cranfield",
  "cacm",
  "cosqa",
  "limit-small",
  "qed",
  "pubmedqa",
  "anthropic-docs-rag",
] as const;

/** The name of a set. */
export type SearchSetName = (typeof SEARCH_SETS)[number];

/** Reads a judged set, or undefined when it is not on this machine. */
export function readSearchSet(dataDir: string, name: SearchSetName): JudgedSet | undefined {
  const folder = path.join(dataDir, name);
  return existsSync(folder) ? READERS[name](folder) : undefined;
}

const READERS: Readonly<Record<SearchSetName, (folder: string) => JudgedSet>> = {
  nfcorpus: readNfcorpus,
  cranfield: readCranfield,
  cacm: readCacm,
  cosqa: readCosqa,
  "limit-small": readLimit,
  qed: readQed,
  pubmedqa: readPubmedqa,
  "anthropic-docs-rag": readAnthropicDocs,
};

function readNfcorpus(folder: string): JudgedSet {
  const texts = new Map(
    readLines(path.join(folder, "queries.jsonl.gz")).map((row) => [text(row, "_id"), text(row, "text")]),
  );
  const split = (name: Split): readonly JudgedQuery[] =>
    groupJudgements(
      gunzip(path.join(folder, "qrels", `${name}.tsv.gz`))
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split("\t"))
        .map(([query = "", document = "", gain = "0"]) => ({ query, document, gain: Number(gain) })),
      texts,
    );
  return {
    name: "nfcorpus",
    documents: readLines(path.join(folder, "corpus.jsonl.gz")).map((row) =>
      toDocument("nfcorpus", text(row, "_id"), text(row, "title"), text(row, "text")),
    ),
    queries: { train: split("train"), dev: split("dev"), test: split("test") },
    measure: "nDCG@10",
    published: "BM25 .322, MiniLM .316, BM25+bge-base .3725",
  };
}

function readCranfield(folder: string): JudgedSet {
  const documents = gunzip(path.join(folder, "cran.all.1400.gz"))
    .split(/^\.I /m)
    .slice(1)
    .map((record) => {
      const [, id = "", title = "", body = ""] =
        /^(\d+)\s+\.T\n([\s\S]*?)\.A\n[\s\S]*?\.W\n([\s\S]*)$/.exec(record) ?? [];
      return toDocument("cranfield", id, title.replaceAll("\n", " ").trim(), body.trim());
    });
  const queries = readFileSync(path.join(folder, "cran.qry"), "utf8")
    .replaceAll("\r", "")
    .split(/^\.I .*\n\.W\n/m)
    .slice(1)
    .map((body, index) => [String(index + 1), body.replaceAll("\n", " ").trim()] as const);
  const judgements = readFileSync(path.join(folder, "cranqrel"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([query = "", document = "", code = ""]) => ({ query, document, gain: CRANFIELD_GAINS[code] ?? 1 }));
  return {
    name: "cranfield",
    documents,
    queries: { test: groupJudgements(judgements, new Map(queries)) },
    measure: "nDCG@10",
    published: "BM25 .4328 (k1 1.2, b .75), MiniLM .400",
  };
}

/** Codes 1 (best) to 4, -1 for "also relevant". */
const CRANFIELD_GAINS: Readonly<Record<string, number>> = { "1": 4, "2": 3, "3": 2, "4": 1, "-1": 1 };

function readCacm(folder: string): JudgedSet {
  const files = untar(gunzipSync(gunzipSync(readFileSync(path.join(folder, "cacm.tar.gz")))));
  const documents = files.map(({ name, bytes }) => {
    const id = path.basename(name, ".html");
    const url = `https://cacm.example/${id}.html`;
    const page = extractHtml({ url, html: bytes.toString("latin1") });
    // The files have no title element; a record begins with its title and an empty line.
    const title = page.title ?? page.text.split("\n\n")[0]?.replaceAll("\n", " ") ?? null;
    return { id, url, title, text: page.text };
  });
  const topics = readFileSync(path.join(folder, "topics.cacm.txt"), "latin1")
    .split("<DOC>")
    .slice(1)
    .map((topic) => {
      const [, id = "", body = ""] = /<DOCNO>\s*(\d+)\s*<\/DOCNO>([\s\S]*)<\/DOC>/.exec(topic) ?? [];
      return [id, body.replaceAll(/\s+/g, " ").trim()] as const;
    });
  const judgements = readFileSync(path.join(folder, "qrels.cacm.txt"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([query = "", , document = "", gain = "0"]) => ({ query, document, gain: Number(gain) }));
  return {
    name: "cacm",
    documents,
    queries: { test: groupJudgements(judgements, new Map(topics)) },
    measure: "MAP",
    published: "BM25 .3123, BM25+RM3 .3648",
  };
}

function readCosqa(folder: string): JudgedSet {
  const codes = JSON.parse(gunzip(path.join(folder, "code_idx_map.json.gz"))) as Readonly<Record<string, number>>;
  const split = (name: string): readonly JudgedQuery[] =>
    readArray(gunzip(path.join(folder, `cosqa-retrieval-${name}-500.json.gz`))).map((row) => ({
      id: text(row, "idx"),
      text: text(row, "doc"),
      relevant: new Map([[String(row["retrieval_idx"]), 1]]),
    }));
  return {
    name: "cosqa",
    documents: Object.entries(codes).map(([code, number]) => toDocument("cosqa", String(number), null, code)),
    queries: { dev: split("dev"), test: split("test") },
    measure: "MRR",
    published: "BM25 .347",
  };
}

function readLimit(folder: string): JudgedSet {
  const lines = (name: string): readonly Row[] => parseLines(readFileSync(path.join(folder, name), "utf8"));
  const judgements = lines("qrels.jsonl").map((row) => ({
    query: text(row, "query-id"),
    document: text(row, "corpus-id"),
    gain: Number(row["score"]),
  }));
  return {
    name: "limit-small",
    documents: lines("corpus.jsonl").map((row) => toDocument("limit", text(row, "_id"), null, text(row, "text"))),
    queries: {
      test: groupJudgements(
        judgements,
        new Map(lines("queries.jsonl").map((row) => [text(row, "_id"), text(row, "text")])),
      ),
    },
    measure: "R@2",
    published: "BM25 .978; single vectors about .3",
  };
}

function readQed(folder: string): JudgedSet {
  const rows = readLines(path.join(folder, "qed-dev.jsonl.gz"));
  const documents = new Map(
    rows.map((row) => {
      const body = text(row, "paragraph_text");
      const id = shortHash(body);
      return [id, toDocument("qed", id, text(row, "title_text"), body)];
    }),
  );
  return {
    name: "qed",
    documents: [...documents.values()],
    queries: {
      test: rows.map((row) => ({
        id: String(row["example_id"]),
        text: text(row, "question_text"),
        relevant: new Map([[shortHash(text(row, "paragraph_text")), 1]]),
      })),
    },
    measure: "MRR",
    published: "BM25 .897 (paragraphs alone)",
  };
}

function readPubmedqa(folder: string): JudgedSet {
  const all = JSON.parse(gunzip(path.join(folder, "ori_pqal.json.gz"))) as Readonly<Record<string, Row>>;
  const tested = new Set(
    Object.keys(JSON.parse(readFileSync(path.join(folder, "test_ground_truth.json"), "utf8")) as object),
  );
  const queries = Object.entries(all).map(([id, row]) => ({
    id,
    text: text(row, "QUESTION"),
    relevant: new Map([[id, 1]]),
  }));
  return {
    name: "pubmedqa",
    documents: Object.entries(all).map(([id, row]) =>
      toDocument("pubmedqa", id, null, (row["CONTEXTS"] as readonly string[]).join("\n\n")),
    ),
    queries: {
      train: queries.filter(({ id }) => !tested.has(id)),
      test: queries.filter(({ id }) => tested.has(id)),
    },
    measure: "MRR",
    published: "none (the question's own abstract)",
  };
}

function readAnthropicDocs(folder: string): JudgedSet {
  const chunks = readArray(gunzip(path.join(folder, "anthropic_docs.json.gz")));
  const questions = readArray(readFileSync(path.join(folder, "docs_evaluation_dataset.json"), "utf8"));
  return {
    name: "anthropic-docs-rag",
    documents: chunks.map((row) => ({
      id: text(row, "chunk_link"),
      url: text(row, "chunk_link"),
      title: text(row, "chunk_heading"),
      text: text(row, "text"),
    })),
    queries: {
      test: questions.map((row) => ({
        id: text(row, "id"),
        text: text(row, "question"),
        relevant: new Map((row["correct_chunks"] as readonly string[]).map((link) => [link, 1])),
      })),
    },
    measure: "MRR",
    published: "at 3: BM25 .748, voyage-2 .737, with summaries .773",
  };
}

type Row = Readonly<Record<string, unknown>>;

interface Judgement {
  readonly query: string;
  readonly document: string;
  readonly gain: number;
}

function groupJudgements(judgements: readonly Judgement[], texts: ReadonlyMap<string, string>): readonly JudgedQuery[] {
  const grouped = new Map<string, Map<string, number>>();
  for (const { query, document, gain } of judgements) {
    if (gain <= 0) continue;
    const relevant = grouped.get(query) ?? new Map<string, number>();
    relevant.set(document, gain);
    grouped.set(query, relevant);
  }
  return [...grouped].map(([id, relevant]) => ({ id, text: texts.get(id) ?? "", relevant }));
}

function toDocument(set: string, id: string, title: string | null, body: string): JudgedDocument {
  const url = `https://${set}.example/${encodeURIComponent(id)}`;
  return { id, url, title: title === "" ? null : title, text: body };
}

function shortHash(value: string): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 12);
}

function readLines(file: string): readonly Row[] {
  return parseLines(gunzip(file));
}

function parseLines(lines: string): readonly Row[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}

function readArray(json: string): readonly Row[] {
  return JSON.parse(json) as readonly Row[];
}

function text(row: Row, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

function gunzip(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8");
}

/** The files of a tar archive: blocks of 512 bytes, a header with name and size in front of each file. */
function untar(archive: Buffer): readonly { readonly name: string; readonly bytes: Buffer }[] {
  const files: { name: string; bytes: Buffer }[] = [];
  for (let at = 0; at + 512 <= archive.length;) {
    const name = archive.toString("latin1", at, at + 100).replace(/\0.*$/s, "");
    if (name === "") break;
    const size = Number.parseInt(archive.toString("latin1", at + 124, at + 136), 8);
    const type = archive.toString("latin1", at + 156, at + 157);
    if (type === "0" || type === "\0") files.push({ name, bytes: archive.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
