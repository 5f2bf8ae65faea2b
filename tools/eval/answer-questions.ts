import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { JudgedDocument } from "./search-sets.ts";

/** A question whose answer stands in one passage. */
export interface AnsweredQuestion {
  readonly question: string;
  /** The passage that answers it. */
  readonly url: string;
  /** Any of these is right; each is the parts that must all be there. */
  readonly answers: readonly (readonly string[])[];
  /** Rules are made on `dev`; `held-out` is what is reported. */
  readonly part: "dev" | "held-out";
}

/** Questions over a closed set of passages. */
export interface QuestionSet {
  readonly name: "qed";
  readonly documents: readonly JudgedDocument[];
  readonly questions: readonly AnsweredQuestion[];
}

/** Reads the questions of QED, or undefined when they are not on this machine. Halved by the passage's hash: no passage is in both parts. */
export function readQuestions(dataDir: string): QuestionSet | undefined {
  const file = path.join(dataDir, "qed", "qed-dev.jsonl.gz");
  if (!existsSync(file)) return undefined;
  const rows = gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as QedRow);
  const documents = new Map<string, JudgedDocument>();
  const questions = rows.map((row): AnsweredQuestion => {
    const id = createHash("sha256").update(row.paragraph_text).digest("hex").slice(0, 12);
    const url = `https://qed.example/${id}`;
    documents.set(id, { id, url, title: row.title_text, text: row.paragraph_text });
    return {
      question: row.question_text,
      url,
      answers: row.original_nq_answers.map((parts) => parts.map(({ string }) => string)),
      part: Number.parseInt(id[0] ?? "0", 16) < 8 ? "dev" : "held-out",
    };
  });
  return { name: "qed", documents: [...documents.values()], questions };
}

/** Whether a text holds an answer: all parts of one of them, word for word. */
export function holdsAnswer(text: string, { answers }: Pick<AnsweredQuestion, "answers">): boolean {
  return answers.some((parts) => parts.every((part) => text.includes(part)));
}

interface QedRow {
  readonly title_text: string;
  readonly question_text: string;
  readonly paragraph_text: string;
  readonly original_nq_answers: readonly (readonly { readonly string: string }[])[];
}
