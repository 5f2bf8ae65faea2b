import { ABOUT, hasShortForm, IT, objectStems } from "./asked-words.ts";
import type { Finding } from "./finding.ts";
import { readAnswer, type PageAnswer } from "./read-answer.ts";
import type { Condition } from "./read-criterion.ts";
import { trapOf } from "./trap-of.ts";
import { isStated } from "./is-stated.ts";
import type { Statement } from "./statements.ts";
import { otherSayings } from "./said-otherwise.ts";
import type { SubjectContext } from "./subject.ts";
import { sameStem, stemWords, type StemmedWord } from "./word-match.ts";

/** So much of a long criterion's words must stand in one statement; of a short one all must. */
const MIN_COVERED = 0.8;
const SHORT = 4;
/** A price in a table or list is no longer than this. */
const MAX_LINE = 80;

/** What the statements of a page say about a criterion in words. */
export function findMatching(
  condition: Condition & { readonly kind: "statement" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const wanted = objectStems(condition.text);
  if (wanted.length === 0) return [];
  const isTopic = condition.text.search(ABOUT) >= 0;
  const codes = codesIn(condition.text);
  const findSaying = otherSayings(condition.text);
  return statements.flatMap((statement) => {
    const spot: WordsFound | undefined =
      findSaying === undefined ? findWords(statement.text, wanted, codes) : findSaying(statement.text);
    if (spot === undefined) return [];
    const { isPlain = false, covered = 1, ...anchor } = spot;
    const isSaid = isTopic || isPlain || isStated(statement, anchor, condition.text);
    // a line with a price names a plan, not somebody
    const line =
      isPlain && statement.text.length <= MAX_LINE ? { ...statement, label: statement.label ?? "" } : statement;
    const trap = isTopic ? undefined : trapOf(line, anchor, context, statements, "state");
    const said = { trap, isSaid, isNegated: condition.isNegated, covered };
    const answer = isTopic ? undefined : readAnswer(statement, statements);
    return [answer === undefined ? toFinding(statement, said) : toFinding(answer.statement, answered(answer, said))];
  });
}

/** Where the words of a criterion stand in a text, and how many of them; undefined where too few do. */
function findWords(text: string, wanted: readonly string[], codes: ReadonlySet<string>): WordsFound | undefined {
  const words = withCompounds(text);
  const hits = wanted.map((stem) => bestHit(words, stem));
  const found = hits.filter((hit) => hit !== undefined);
  const needed = wanted.length <= SHORT ? wanted.length : Math.ceil(wanted.length * MIN_COVERED);
  if (found.length < needed || wanted.some((stem, index) => codes.has(stem) && hits[index] === undefined))
    return undefined;
  const anchor = tightest(words, wanted) ?? {
    start: Math.min(...found.map(({ start }) => start)),
    end: Math.max(...found.map(({ end }) => end)),
  };
  return { ...anchor, covered: found.length / wanted.length };
}

interface WordsFound {
  readonly start: number;
  readonly end: number;
  /** The part of the words that is there. */
  readonly covered?: number;
  /** They say it whatever stands around them. */
  readonly isPlain?: boolean;
}

/** A question says nothing by itself: its answer states or denies what it speaks of. */
function answered({ kind }: PageAnswer, said: Said): Said {
  if (said.trap !== undefined) return said;
  return { ...said, isSaid: kind === "yes", trap: kind === "no" ? "negated" : undefined };
}

/** Numbers, and what is written like one: without its "II", "SOC 2 Type II" is something else. */
function codesIn(text: string): ReadonlySet<string> {
  return new Set(stemWords(text).flatMap(({ word, stem }) => (/\p{N}|^[IVX]+$|^zertifi/u.test(word) ? [stem] : [])));
}

/** The words of a statement, and what is written with a hyphen also as one: "e-mail" is "email". */
function withCompounds(text: string): readonly StemmedWord[] {
  const isOfIt = hasShortForm(text);
  const words = stemWords(text).map((one) => (isOfIt && one.word === IT ? { ...one, stem: IT } : one));
  const compounds = Array.from(
    text.matchAll(/(?<![\p{L}\p{N}-])[\p{L}\p{N}]+-[\p{L}\p{N}]+(?![\p{L}\p{N}-])/gu),
    (match) => {
      const word = match[0].replace("-", "");
      const [first] = stemWords(word);
      return { stem: first?.stem ?? word, word, start: match.index, end: match.index + match[0].length };
    },
  );
  return compounds.length === 0 ? words : [...words, ...compounds].sort((one, other) => one.start - other.start);
}

function bestHit(words: readonly StemmedWord[], stem: string): StemmedWord | undefined {
  return words.find((word) => word.stem === stem) ?? words.find((word) => sameStem(word.stem, stem));
}

/** The smallest stretch of a statement that has all the words. */
function tightest(
  words: readonly StemmedWord[],
  wanted: readonly string[],
): { readonly start: number; readonly end: number } | undefined {
  const hits = words.flatMap((word) => {
    const which = wanted.findIndex((stem) => word.stem === stem || sameStem(word.stem, stem));
    return which < 0 ? [] : [{ ...word, which }];
  });
  let best: { start: number; end: number } | undefined;
  for (const [from, first] of hits.entries()) {
    const seen = new Set<number>();
    for (const hit of hits.slice(from)) {
      seen.add(hit.which);
      if (seen.size < wanted.length) continue;
      if (best === undefined || hit.end - first.start < best.end - best.start)
        best = { start: first.start, end: hit.end };
      break;
    }
  }
  return best;
}

/** How the words of a criterion stand in a statement. */
interface Said {
  readonly trap: Finding["trap"];
  readonly isSaid: boolean;
  readonly isNegated: boolean;
  readonly covered: number;
}

function toFinding(statement: Statement, { trap, isSaid, isNegated, covered }: Said): Finding {
  const weight = (statement.label === null ? 1 : 1.5) * covered;
  const denies = trap === "negated" || trap === "ended";
  if (denies)
    return {
      statement,
      satisfied: isNegated && trap === "negated" ? "yes" : isNegated ? "unclear" : "no",
      why: trap === "ended" ? "it says that this has ended" : "it denies it",
      weight,
      trap: undefined,
    };
  if (trap !== undefined || !isSaid)
    return { statement, satisfied: "unclear", why: "its words are there, but not as a statement of it", weight, trap };
  return {
    statement,
    satisfied: isNegated ? "no" : "yes",
    why: isNegated ? "it states what must not be so" : "it states it",
    weight,
    trap,
  };
}
