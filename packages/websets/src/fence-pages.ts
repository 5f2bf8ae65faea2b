import { readStatements, type Statement } from "./judge/statements.ts";
import { contentStems, sameStem, stemWords } from "./judge/word-match.ts";
import type { PageText } from "./evidence.ts";

const MAX_CHARACTERS = 9_000;
const LEAD_STATEMENTS = 3;

/**
 * Puts what pages say about a question into a prompt: numbered, each page between marks of its own and named untrusted; nothing
 * of a page can end its fence early. Pages without anything to the question show their first lines.
 */
export function fencePages(pages: readonly PageText[], question: string): string {
  const stems = [...new Set(contentStems(question))];
  const share = Math.floor(MAX_CHARACTERS / Math.max(1, pages.length));
  return pages.map((page, index) => fencePage(page, { number: index + 1, stems, share })).join("\n");
}

function fencePage(
  page: PageText,
  { number, stems, share }: { readonly number: number; readonly stems: readonly string[]; readonly share: number },
): string {
  const statements = readStatements(page).filter(({ label, text }) => label === null || !text.includes("\n"));
  const scored = statements.map((statement) => ({
    statement,
    score: scoreOf(statement, stems) + (statement.index < LEAD_STATEMENTS ? 0.5 : 0),
  }));
  const chosen: Statement[] = [];
  let room = share;
  for (const { statement, score } of scored
    .filter(({ score: one }) => one > 0)
    .sort((one, other) => other.score - one.score)) {
    if (score <= 0 || statement.text.length > room) continue;
    room -= statement.text.length;
    chosen.push(statement);
  }
  const lines = chosen.sort((one, other) => one.start - other.start).map(({ text }) => `- ${disarm(text)}`);
  return [
    `<source number="${number}" url="${disarm(page.url)}" title="${disarm(page.title ?? "")}" trust="none">`,
    ...lines,
    "</source>",
  ].join("\n");
}

function scoreOf({ text }: Statement, stems: readonly string[]): number {
  const words = stemWords(text);
  return stems.filter((stem) => words.some((word) => sameStem(word.stem, stem))).length / Math.max(1, stems.length);
}

/** What stands for markup in a prompt is shown as what it is: text. */
function disarm(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›").replaceAll('"', "”").replaceAll(/\s+/g, " ");
}
