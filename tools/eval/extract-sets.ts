import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

/** One judged page. `part` is fixed by the id, so that no page ever moves from held-out to dev. */
export interface JudgedPage {
  readonly id: string;
  readonly url: string;
  readonly pageType: string;
  readonly part: "dev" | "held-out";
  readonly html: string;
  readonly mainText: string;
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly publishedDate: string | undefined;
  /** Snippets that must, or must not, be in the main text. */
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** The names of the judged sets for extraction. */
export type ExtractSetName = "article-extraction-benchmark" | "wcxb-dev";

/** Reads a judged set, or undefined when it is not on this machine. */
export function readExtractSet(dataDir: string, name: ExtractSetName): readonly JudgedPage[] | undefined {
  const folder = path.join(dataDir, name);
  if (!existsSync(folder)) return undefined;
  return name === "wcxb-dev" ? readWcxb(folder) : readArticles(folder);
}

/** Pages of the dev part may be looked at and learnt from; a third is held out, by the hash of the id. */
export function partOf(id: string): JudgedPage["part"] {
  const first = createHash("sha256").update(`quarry-extract:${id}`).digest().readUInt8(0);
  return first < 85 ? "held-out" : "dev";
}

function readWcxb(folder: string): readonly JudgedPage[] {
  return gunzip(path.join(folder, "ground-truth.jsonl.gz"))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
      const id = String(row["file_id"]);
      return {
        id,
        url: String(row["url"]),
        pageType: String(row["page_type"]),
        part: partOf(id),
        html: gunzip(path.join(folder, "html", `${id}.html.gz`)),
        mainText: typeof row["main_content"] === "string" ? row["main_content"] : "",
        title: text(row["title"]),
        author: text(row["author"]),
        publishedDate: text(row["publish_date"]),
        present: texts(row["with"]),
        absent: texts(row["without"]),
      };
    });
}

function readArticles(folder: string): readonly JudgedPage[] {
  const truth = JSON.parse(gunzip(path.join(folder, "ground-truth.json.gz"))) as Readonly<
    Record<string, { readonly articleBody: string; readonly url?: string }>
  >;
  return Object.entries(truth).map(([id, row]) => ({
    id,
    url: row.url ?? "https://example.org/",
    pageType: "article",
    part: partOf(id),
    html: gunzip(path.join(folder, "html", `${id}.html.gz`)),
    mainText: row.articleBody,
    title: undefined,
    author: undefined,
    publishedDate: undefined,
    present: [],
    absent: [],
  }));
}

function gunzip(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8");
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}
