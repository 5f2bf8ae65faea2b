import type { Statement } from "./statements.ts";
import { findTrap } from "./traps.ts";

/** What a question of a page comes to: the word that follows it, or nothing where nobody answers. */
export interface PageAnswer {
  readonly kind: "yes" | "no" | "open";
  /** The question with its answer, as a quote shows it. */
  readonly statement: Statement;
}

const YES =
  /^(?:yes(?! and no\b)|yep|yeah|sure|(?:absolutely|certainly|definitely)(?! no\b)|of course|ja|oui|si|sí)\b/iu;
/** Answers only where nothing else is said of it: "It is complicated" is none. */
const BARE_YES =
  /^(?:we do|it is|it does|they do)(?=\s?(?:[,.!;–—]|$)|\s(?:indeed|already|offer|provide|support|have|include|available|included|supported)\b)/iu;
const NO =
  /^(?:no(?=\s?(?:[,.!;:–—]|$)|\s(?:-|we|it|they|you|this|that|there|longer|way|not|sorry|unfortunately)(?!\p{L}))|nope\b|not\b(?!-)|never\b|none\b|unfortunately\b|sadly\b|sorry\b|currently not\b|nein\b|non\b(?!-))|^(?:we|it|they) (?:do|does|is|are|has|have|can)(?: not| no longer|n['’]t)\b/iu;
/** Begin like a no and are none. */
const NO_DENIAL = /^not (?:only|just|merely|a problem)\b/iu;
const PLANNED =
  /\b(?:plan(?:s|ning)? to|planned|soon|roadmap|in the works|working on|not yet|will (?:launch|release|offer|provide|support|add|have))\b/iu;
const DENIAL = /\b(?:not|no|never|un(?:available|supported))\b|n['’]t\b/iu;
/** What asks for more than yes or no: no word behind it says that it is so. */
const ASKS_MORE = /^(?:why|how|what|where|when|which|whose)\b/iu;
/** "Why is your X so good?" takes X for given; "How is X made?" does not. */
const TAKES_FOR_GIVEN = /^why\b.{0,80}?\b(?:our|your)\b/iu;

/** Reads a question of a page with its answer; undefined for what asks nothing, or takes for given what it speaks of. */
export function readAnswer(statement: Statement, statements: readonly Statement[]): PageAnswer | undefined {
  if (!/\?\s*$/.test(statement.text)) return undefined;
  const asked = statement.text.trim();
  if (ASKS_MORE.test(asked)) return TAKES_FOR_GIVEN.test(asked) ? undefined : { kind: "open", statement };
  const next = statements[statement.index + 1];
  const kind = next === undefined ? "open" : kindOf(next.text.trim());
  if (next === undefined || kind === "open") return { kind: "open", statement };
  const { page, start } = statement;
  return { kind, statement: { ...statement, end: next.end, text: page.text.slice(start, next.end) } };
}

function kindOf(said: string): PageAnswer["kind"] {
  const isBare = BARE_YES.test(said);
  if (!isBare && !YES.test(said)) return NO.test(said) && !NO_DENIAL.test(said) ? "no" : "open";
  // "sugar free" has none; "it is free" is a yes
  const plain = said.replace(/\bfree$/iu, "");
  const trap = findTrap(plain, { start: 0, end: 0 }, "state");
  if (trap === "negated") return "no";
  // "Yes, but it was retired"
  const isOver = findTrap(plain, { start: plain.length, end: plain.length }, "state") === "ended";
  return trap !== undefined || isOver || PLANNED.test(said) || (isBare && DENIAL.test(said)) ? "open" : "yes";
}
