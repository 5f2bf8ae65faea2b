import type { Entity } from "../entities/entity.ts";
import type { PageText } from "../evidence.ts";
import { trapOf } from "../judge/rule-values.ts";
import { readStatements, type Statement } from "../judge/statements.ts";
import { subjectContext, type SubjectContext } from "../judge/subject.ts";
import { contentStems, sameStem, stemWords } from "../judge/word-match.ts";

/** A statement that speaks to a column, and how well. */
export interface Candidate {
  readonly statement: Statement;
  /** The share of the column's words it has, more for a label that names them. */
  readonly score: number;
  /** Where its words of the column stand. */
  readonly anchor: { readonly start: number; readonly end: number };
}

/** What a column is about, and whom. */
export interface ColumnTopic {
  readonly stems: readonly (readonly string[])[];
  readonly context: SubjectContext;
}

const MAX_CANDIDATES = 40;
/** Below this a statement is about something else. */
const MIN_SCORE = 0.34;

/** Words of descriptions that ask, rather than say what for. */
const ASKING = new Set(
  contentStems(
    "find get give list provide extract identify determine company companies startup business organization firm person people article paper entity item name what which when where how many much number total amount exact current currently date year url link address official please value information details describe summarize main primary best available known public publicly",
  ),
);
/** Other words for what columns often ask. */
const KIN: readonly string[] = [
  "employee staff team people headcount workforce colleague worker employ",
  "founded founding foundation established incorporated inception started foundation",
  "founder founders co-founder",
  "headquarters headquartered based location located office hq seat",
  "funding raised raise investment financing round capital invested",
  "revenue turnover sales arr",
  "ceo chief executive",
  "price cost pricing priced",
  "phone telephone tel call mobile hotline",
  "email mail e-mail contact",
  "website homepage web site",
  "industry sector field",
  "customer client user",
  "launched launch released release",
  "published posted written publication",
  "given gave delivered spoken",
  "speech talk lecture remarks",
];

/** The words a column asks for, each with those that say the same. */
export function columnTopic(
  entity: Pick<Entity, "type" | "name" | "aliases" | "url">,
  description: string,
): ColumnTopic {
  const own = new Set(contentStems(entity.name));
  const all = contentStems(description).filter((stem) => !own.has(stem));
  const telling = all.filter((stem) => !ASKING.has(stem));
  const stems = [...new Set(telling.length === 0 ? all : telling)].slice(0, 12);
  const families = KIN.map((words) => contentStems(words));
  return {
    stems: stems.map((stem) => families.find((family) => family.some((one) => sameStem(one, stem))) ?? [stem]),
    context: subjectContext(entity),
  };
}

/** The statements of pages that speak to a column, best first; those about others, denied, past or planned left out. */
export function findCandidates(
  pages: readonly PageText[],
  topic: ColumnTopic,
  kind: "event" | "state",
): readonly Candidate[] {
  if (topic.stems.length === 0) return [];
  const found = pages.flatMap((page) => {
    const statements = readStatements(page);
    return statements
      .flatMap((statement) => scoreStatement(statement, topic) ?? [])
      .filter(({ statement, anchor }) => trapOf(statement, anchor, topic.context, statements, kind) === undefined);
  });
  return found.sort((one, other) => other.score - one.score).slice(0, MAX_CANDIDATES);
}

function scoreStatement(statement: Statement, { stems }: ColumnTopic): Candidate | undefined {
  const words = stemWords(statement.text);
  const hits = stems.map((family) => words.find(({ stem }) => family.some((one) => sameStem(one, stem))));
  const there = hits.filter((hit) => hit !== undefined);
  const first = there[0];
  if (first === undefined) return undefined;
  const share = there.length / stems.length;
  const labelled =
    statement.label !== null &&
    stemWords(statement.label).some(({ stem }) => stems.some((family) => family.some((one) => sameStem(one, stem))));
  const score = share + (labelled ? 0.5 : 0) - (statement.text.length > 400 ? 0.2 : 0);
  if (share < MIN_SCORE) return undefined;
  return { statement, score, anchor: { start: first.start, end: first.end } };
}
