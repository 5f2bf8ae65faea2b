import { answerQuestion, type AnswerDeps } from "@quarry/answer";
import { scoreExcerpts } from "./answer-excerpts.ts";
import { answerDepsOf } from "./answer-world.ts";
import { holdsAnswer, readQuestions, type AnsweredQuestion, type QuestionSet } from "./answer-questions.ts";
import { scoreDocs } from "./answer-docs.ts";
import type { Evaluation, EvaluationRun } from "./evaluation.ts";
import type { Table } from "./print-table.ts";
import { evaluateHighlights } from "./search-highlights.ts";
import { readSearchSet } from "./search-sets.ts";
import { EVAL_TEAM, openSearchWorld } from "./search-world.ts";

/** What `/answer` reads for `model: "exa"`. */
const PAGES = 5;
/** Where the answer must stand. */
const FIRST_SENTENCES = 2;

/** How well questions are answered without a language model, beside what others reached. */
export const answerEvaluation: Evaluation = {
  name: "answer",
  run: async ({ dataDir, sample, progress }) => {
    const tables: Table[] = [];
    const skipped: string[] = [];
    const questions = readQuestions(dataDir);
    if (questions === undefined) skipped.push("qed");
    else tables.push(await evaluateQuestions(questions, { sample, progress }));
    const docs = readSearchSet(dataDir, "anthropic-docs-rag");
    if (docs === undefined) skipped.push("anthropic-docs-rag");
    else tables.push(await scoreDocs(docs, { sample, progress }));
    const excerpts = await scoreExcerpts(dataDir, { sample, progress });
    if (excerpts !== undefined) tables.push(excerpts);
    const highlights = await evaluateHighlights(dataDir, sample, progress);
    if (highlights === undefined) skipped.push("chunking-eval");
    else tables.push({ ...highlights, title: HIGHLIGHTS });
    const figures = Object.fromEntries(tables.map(({ title, columns, rows }) => [title, { columns, rows }]));
    return { tables, figures, skipped };
  },
};

const HIGHLIGHTS =
  "chunking-eval: highlights (published with text-embedding-3-large: fixed chunks of 1,200 characters recall .809, IoU .177; ClusterSemantic 400 recall .897, IoU .183)";

interface Score {
  readonly isFound: boolean;
  readonly isFirst: boolean;
  readonly isEarly: boolean;
  readonly isRightPage: boolean;
  readonly isSilent: boolean;
  /** Says nothing when the passage that answers is not there. */
  readonly isSilentWithout: boolean;
}

/** Asks every question of the whole set of passages, and looks where the answer came. */
export async function evaluateQuestions(
  set: QuestionSet,
  { sample, progress }: Pick<EvaluationRun, "sample" | "progress">,
): Promise<Table> {
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(set.questions.length / sample));
  const questions = set.questions.filter((_, index) => index % step === 0);
  // A quick look searches the passages of its own questions alone.
  const urls = new Set(questions.map(({ url }) => url));
  const documents = set.documents.filter(({ url }) => urls.has(url));
  const judged = { name: set.name, documents, queries: {}, measure: "MRR", published: "" } as const;
  const world = await openSearchWorld(judged, progress);
  const scores: (Score & Pick<AnsweredQuestion, "part">)[] = [];
  try {
    for (const question of questions) {
      const score = await ask(answerDepsOf(world, documents), question);
      const { isSilent: isSilentWithout } = await ask(answerDepsOf(world, documents, question.url), question);
      scores.push({ part: question.part, ...score, isSilentWithout });
    }
  } finally {
    await world.close();
  }
  const row = (name: string, part: readonly Score[]): readonly (string | number)[] => [
    name,
    part.length,
    shareOf(part, ({ isFound }) => isFound),
    shareOf(part, ({ isFirst }) => isFirst),
    shareOf(part, ({ isEarly }) => isEarly),
    shareOf(part, ({ isRightPage }) => isRightPage),
    shareOf(part, ({ isSilent }) => isSilent),
    shareOf(part, ({ isSilentWithout }) => isSilentWithout),
  ];
  return {
    title:
      "qed: answers over the whole set of passages (published, given the right passage: fine-tuned BERT 73.4 % to 74.5 %; BM25 passage MRR .897)",
    columns: [
      "part",
      "questions",
      "passage in 5",
      "in 1st",
      "in first 2",
      "1st of right page",
      "no answer",
      "none without it",
    ],
    rows: [
      row(
        "dev",
        scores.filter(({ part }) => part === "dev"),
      ),
      row(
        "held-out",
        scores.filter(({ part }) => part === "held-out"),
      ),
      row("all", scores),
    ],
  };
}

async function ask(deps: AnswerDeps, question: AnsweredQuestion): Promise<Omit<Score, "isSilentWithout">> {
  const found: string[] = [];
  const seen: AnswerDeps = {
    ...deps,
    findPages: async (wish, signal) => {
      const pages = await deps.findPages(wish, signal);
      found.push(...pages.map(({ url }) => url));
      return pages;
    },
  };
  const request = { teamIds: [EVAL_TEAM], question: question.question, maxPages: PAGES };
  const sentences: { readonly text: string; readonly url: string | undefined }[] = [];
  for await (const event of answerQuestion(seen, request, new AbortController().signal)) {
    if (event.kind === "sentence") sentences.push({ text: event.sentence.text, url: event.sentence.quotes[0]?.url });
  }
  const textOf = (count: number): string =>
    sentences
      .slice(0, count)
      .map(({ text }) => text)
      .join(" ");
  return {
    isFound: found.includes(question.url),
    isFirst: holdsAnswer(textOf(1), question),
    isEarly: holdsAnswer(textOf(FIRST_SENTENCES), question),
    isRightPage: sentences[0]?.url === question.url,
    isSilent: sentences.length === 0,
  };
}

function shareOf(scores: readonly Score[], is: (score: Score) => boolean): number {
  return scores.filter(is).length / Math.max(1, scores.length);
}
