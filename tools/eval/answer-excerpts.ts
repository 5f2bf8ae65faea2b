import { answerQuestion } from "@quarry/answer";
import { answerDepsOf } from "./answer-world.ts";
import type { EvaluationRun } from "./evaluation.ts";
import type { Table } from "./print-table.ts";
import { halfOf, readHighlightSet, type HighlightSet } from "./search-highlights.ts";
import type { JudgedDocument } from "./search-sets.ts";
import { EVAL_TEAM, openSearchWorld } from "./search-world.ts";

/** The texts are books: they are cut into pages such as the web has. */
const PAGE_CHARACTERS = 8_000;
const PAGES = 5;
const FIRST_SENTENCES = 2;
/** How much of a sentence must be gold. */
const MIN_SHARE = 0.7;

interface ExcerptPage extends JudgedDocument {
  readonly corpus: string;
  /** Where it begins in its text. */
  readonly start: number;
}

/** How often the first sentences of an answer come from a gold excerpt. Undefined when the set is missing. */
export async function scoreExcerpts(
  dataDir: string,
  { sample, progress }: Pick<EvaluationRun, "sample" | "progress">,
): Promise<Table | undefined> {
  const set = readHighlightSet(dataDir, sample);
  if (set === undefined) return undefined;
  const documents = [...set.texts].flatMap(([corpus, text]) => cutPages(corpus, text));
  const name = "chunking-eval-answers";
  const world = await openSearchWorld({ name, documents, queries: {}, measure: "MRR", published: "" }, progress);
  const scores: { readonly half: string; readonly isFirst: boolean; readonly isEarly: boolean }[] = [];
  try {
    const deps = answerDepsOf(world, documents);
    const pages = new Map(documents.map((page) => [page.url, page]));
    for (const question of set.questions) {
      const are: boolean[] = [];
      const request = { teamIds: [EVAL_TEAM], question: question.question, maxPages: PAGES };
      for await (const event of answerQuestion(deps, request, new AbortController().signal)) {
        const quote = event.kind === "sentence" ? event.sentence.quotes[0] : undefined;
        const page = pages.get(quote?.url ?? "");
        if (quote !== undefined && page !== undefined) are.push(isGold(question, page, quote));
      }
      const isEarly = are.slice(0, FIRST_SENTENCES).includes(true);
      scores.push({ half: halfOf(question), isFirst: are[0] === true, isEarly });
    }
  } finally {
    await world.close();
  }
  return {
    title: "chunking-eval: answers whose first sentences come from a gold excerpt",
    columns: ["questions", "count", "1st", "in first 2"],
    rows: ["tuned on", "held out"].map((half) => {
      const own = scores.filter((score) => score.half === half);
      const share = (is: (score: (typeof own)[number]) => boolean): number =>
        own.filter(is).length / Math.max(1, own.length);
      return [half, own.length, share(({ isFirst }) => isFirst), share(({ isEarly }) => isEarly)];
    }),
  };
}

/** At line ends where there are some. */
function cutPages(corpus: string, text: string): readonly ExcerptPage[] {
  const pages: ExcerptPage[] = [];
  for (let start = 0; start < text.length;) {
    const full = Math.min(text.length, start + PAGE_CHARACTERS);
    const line = text.lastIndexOf("\n", full);
    const end = full < text.length && line > start + PAGE_CHARACTERS / 2 ? line + 1 : full;
    const id = `${corpus}-${pages.length}`;
    const title = corpus.replaceAll(/[_-]/g, " ");
    pages.push({ id, url: `https://excerpts.example/${id}`, title, text: text.slice(start, end), corpus, start });
    start = end;
  }
  return pages;
}

function isGold(
  { corpus, references }: HighlightSet["questions"][number],
  page: ExcerptPage,
  quote: { readonly start: number; readonly end: number },
): boolean {
  if (corpus !== page.corpus) return false;
  const [start, end] = [page.start + quote.start, page.start + quote.end];
  const gold = references.reduce(
    (sum, range) => sum + Math.max(0, Math.min(end, range.end) - Math.max(start, range.start)),
    0,
  );
  return gold >= MIN_SHARE * (end - start);
}
