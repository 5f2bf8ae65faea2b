import { splitSentences } from "@quarry/retrieval";
import type { PageText } from "../evidence.ts";

/** Something a page says: a sentence, or a label with its value. */
export interface Statement {
  readonly page: PageText;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The label of a line such as "Founded: 2015", or of two short lines of a table or list; null for a sentence. */
  readonly label: string | null;
  /** Its place among the page's statements. */
  readonly index: number;
}

const MAX_STATEMENTS = 3_000;
const MAX_LABEL_WORDS = 5;
const MAX_VALUE_CHARACTERS = 120;

const known = new WeakMap<PageText, readonly Statement[]>();

/** What a page says, in order. Remembered for as long as the page is: every criterion and cell asks for it again. */
export function readStatements(page: PageText): readonly Statement[] {
  const remembered = known.get(page);
  if (remembered !== undefined) return remembered;
  const statements: Statement[] = [];
  const { text } = page;
  const sentences = splitSentences(text)
    .slice(0, MAX_STATEMENTS)
    .flatMap((sentence) => splitAtNumbers(text, sentence));
  for (const [at, { start, end }] of sentences.entries()) {
    const line = text.slice(start, end);
    const own = /^([^:\n|]{2,60}?)\s*[:|]\s+\S/u.exec(line)?.[1];
    const label = own !== undefined && isLabel(own) ? own : null;
    statements.push({ page, start, end, text: line, label, index: statements.length });
    const next = sentences[at + 1];
    if (label !== null || next === undefined || !isLabel(line.replace(/:$/, ""))) continue;
    const value = text.slice(next.start, next.end);
    const isNear = text.slice(end, next.start).length <= 4 && text.slice(end, next.start).includes("\n");
    if (!isNear || value.length > MAX_VALUE_CHARACTERS || /[.!?]$/.test(value)) continue;
    statements.push({
      page,
      start,
      end: next.end,
      text: text.slice(start, next.end),
      label: line.replace(/:$/, ""),
      index: statements.length,
    });
  }
  known.set(page, statements);
  return statements;
}

/** Unicode's rules do not end a sentence before a number or a sum of money. */
function splitAtNumbers(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): readonly { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let from = start;
  for (const match of text.slice(start, end).matchAll(/(?<=\p{Ll}{3}[.!?])\s+(?=[\p{N}$€£])/gu)) {
    parts.push({ start: from, end: start + match.index });
    from = start + match.index + match[0].length;
  }
  return [...parts, { start: from, end }];
}

function isLabel(text: string): boolean {
  return text.split(/\s+/).length <= MAX_LABEL_WORDS && !/[.!?;,]/.test(text) && /\p{L}{2}/u.test(text);
}
