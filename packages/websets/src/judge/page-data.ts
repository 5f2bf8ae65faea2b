import type { PageText } from "../evidence.ts";
import type { Finding } from "./finding.ts";
import { hasUnread } from "./asked-words.ts";
import { fractionalYear, type Condition, type Range } from "./read-criterion.ts";
import { unreadOfYear } from "./rule-values.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";

/** What a page's data tell of a condition that its text need not: when it was published, and who wrote it. */
export function findPageData(
  condition: Condition,
  page: PageText,
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  switch (condition.kind) {
    case "year":
      return readDate(condition, page, statements, context);
    case "statement":
      return readAuthor(condition, page, statements);
    default:
      return [];
  }
}

function readDate(
  condition: Condition & { readonly kind: "year" },
  { publishedDate }: PageText,
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const { event, range, isNegated } = condition;
  const published = yearOf(publishedDate ?? "", range);
  if (event !== "published" || Number.isNaN(published)) return [];
  const fits = (range.min === null || published >= range.min) && (range.max === null || published <= range.max);
  // what else is asked of the text must stand in it
  const unread = unreadOfYear(condition, context);
  const statement = statements.find(({ text }) => hasUnread(text, unread));
  if (statement === undefined) return [];
  const satisfied = fits !== isNegated ? "yes" : "no";
  return [{ statement, satisfied, why: `the page gives ${publishedDate ?? ""} as its date`, weight: 2 }];
}

/** The year of a date, as far into it as the day is where less than a year is asked for. */
function yearOf(date: string, { min }: Range): number {
  const year = Number(/^\d{4}/.exec(date)?.[0] ?? NaN);
  const at = Date.parse(date);
  return min === null || Number.isInteger(min) || Number.isNaN(at) ? year : fractionalYear(new Date(at));
}

const WRITTEN_BY =
  /^\s*(?:(?:is|was|are|were)\s)?(?:(?:written|authored|penned)\s)?by\s(.+)$|^\s*(?:the\s)?authors?\s(?:is|are|includes?)\s(.+)$/isu;
/** A byline stands near the beginning. */
const MAX_BYLINE_PLACE = 12;

/** Another author says nothing against one: pages name one of many. */
function readAuthor(
  { text, isNegated }: Condition,
  { author }: PageText,
  statements: readonly Statement[],
): readonly Finding[] {
  const found = WRITTEN_BY.exec(text);
  const wanted = namesOf(found?.[1] ?? found?.[2] ?? "");
  const given = new Set(namesOf(author ?? ""));
  const [first] = statements;
  if (isNegated || first === undefined || wanted.length < 2 || !wanted.every((name) => given.has(name))) return [];
  const byline = statements.slice(0, MAX_BYLINE_PLACE).find((one) => {
    const names = new Set(namesOf(one.text));
    return (
      /^\s*(?:by|von|par|author|written by)(?![\p{L}])/iu.test(one.text) && wanted.every((name) => names.has(name))
    );
  });
  const why = `the page gives ${author ?? ""} as its author`;
  return [{ statement: byline ?? first, satisfied: "yes", why, weight: 2 }];
}

function namesOf(text: string): readonly string[] {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
