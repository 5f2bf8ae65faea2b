import type { Entity } from "../entities/entity.ts";
import type { PageText } from "../evidence.ts";
import { readStatements, type Statement } from "../judge/statements.ts";
import { subjectContext, type SubjectContext } from "../judge/subject.ts";
import { contentStems, sameStem, stemWords, writtenStems } from "../judge/word-match.ts";
import { KIN } from "./column-words.ts";
import { saysOfEntity } from "./whose-statement.ts";

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
/** A company's size is how many work there. */
const STAFF_SIZE =
  /\b(?:company|team|organi[sz]ation|firm) size\b|\bsize of (?:the )?(?:company|team|organi[sz]ation|firm|workforce)\b/i;

/** The words a column asks for, each with those that say the same. */
export function columnTopic(
  entity: Pick<Entity, "type" | "name" | "aliases" | "url">,
  description: string,
): ColumnTopic {
  const own = new Set(contentStems(entity.name));
  const all = writtenStems(description.replace(STAFF_SIZE, "size employees")).filter((stem) => !own.has(stem));
  const telling = all.filter((stem) => !ASKING.has(stem));
  const stems = [...new Set(telling.length === 0 ? all : telling)].slice(0, 12);
  const kin = kinStems();
  return {
    stems: stems.map((stem) => kin.find((family) => family.some((one) => sameStem(one, stem))) ?? [stem]),
    context: subjectContext(entity),
  };
}

let families: readonly (readonly string[])[] | undefined;
/** Phrases that say what a family of words does. */
const phrases = new Map<readonly string[], RegExp>();

function kinStems(): readonly (readonly string[])[] {
  families ??= KIN.map(({ en, de, fr, phrase }) => {
    const stems = [en, de, fr].flatMap((words) => (words === undefined ? [] : contentStems(words)));
    if (phrase !== undefined) phrases.set(stems, phrase);
    return stems;
  });
  return families;
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
      .filter(({ statement, anchor }) => saysOfEntity(statement, anchor, topic.context, statements, kind));
  });
  return found.sort((one, other) => other.score - one.score).slice(0, MAX_CANDIDATES);
}

function scoreStatement(statement: Statement, { stems }: ColumnTopic): Candidate | undefined {
  const words = stemWords(statement.text);
  const hits = stems.map(
    (family) =>
      words.find(({ stem }) => family.some((one) => sameStem(one, stem))) ??
      phraseIn(statement.text, phrases.get(family)),
  );
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

function phraseIn(
  text: string,
  phrase: RegExp | undefined,
): { readonly start: number; readonly end: number } | undefined {
  const found = phrase?.exec(text);
  return found === null || found === undefined ? undefined : { start: found.index, end: found.index + found[0].length };
}
