import { itemsIn, textIn } from "../entities/structured-items.ts";
import { quoteAt } from "../evidence.ts";
import { readStatements, type Statement } from "../judge/statements.ts";
import { findTrap } from "../judge/traps.ts";
import type { Filled, Filling } from "./filling.ts";
import { namesTitle } from "./person-names.ts";
import { ownItems, structuredValue } from "./structured-facts.ts";

/** Asks where a person works. */
const ASKS_EMPLOYER =
  /\b(?:employer|workplace|works? (?:for|at))\b|^\s*(?:current |present )?(?:company|organi[sz]ation)(?: name)?\s*$|\b(?:company|organi[sz]ation) (?:they|he|she) works?\b/i;
const NO_LONGER = /\b(?:former|previous(?:ly)?|past|ex|first|last|prior)\b/i;

/** Whether a column asks for the present employer of a person. */
export function asksEmployer({ entity, enrichment: { description } }: Pick<Filling, "entity" | "enrichment">): boolean {
  return entity.type === "person" && ASKS_EMPLOYER.test(description) && !NO_LONGER.test(description);
}

const ORGANIZATION =
  "(?<company>\\p{Lu}[\\p{L}\\p{N}&'’-]{0,40}(?:\\.\\p{Ll}{2,6}(?!\\p{L}))?(?:\\s(?:(?:of|for|the|and|&|de)\\s){0,2}\\p{Lu}[\\p{L}\\p{N}&'’-]{0,40}){0,5})";
/** Plainest first: what somebody is somewhere, that one works there, that one went there. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(`(?<!\\p{L})(?:is|serves|am)\\s[^.;:\\n]{2,90}?\\s(?:at|@)\\s(?:the\\s)?${ORGANIZATION}`, "u"),
  new RegExp(
    `(?<!\\p{L})(?:works?|working|employed)\\s(?:now\\s|currently\\s)?(?:at|for|with|by)\\s(?:the\\s)?${ORGANIZATION}`,
    "u",
  ),
  new RegExp(`(?<!\\p{L})joined\\s(?:the\\s)?${ORGANIZATION}(?=\\s(?:as|in)\\s|[,.]|$)`, "u"),
];
/** "Staff engineer @ Northwind Labs": a line of a profile that is no sentence. */
const LINE = new RegExp(`^[^.!?:;\\n]{2,80}?\\s(?:at|@)\\s(?:the\\s)?${ORGANIZATION}\\s?$`, "u");
const OVER = /\b(?:until|left|formerly|previously|used to|was|were|had been|before|interned|visiting)\b/i;

/** Where a person works now, as sentences on that person say, or the page's structured data. */
export function findEmployer(filling: Filling): Filled | undefined {
  for (const pattern of [...PATTERNS, LINE]) {
    for (const statement of filling.pages.flatMap((page) => readStatements(page))) {
      if (statement.text.includes("\n") || statement.text.endsWith("?") || !isAbout(statement, filling)) continue;
      const found = pattern.exec(statement.text);
      const company = found?.groups?.["company"]?.replace(/['’]s$/, "");
      if (found === null || company === undefined || (pattern === LINE && !namesTitle(found[0]))) continue;
      const place = { start: found.index, end: found.index + found[0].length };
      const clause = statement.text.slice(0, place.end);
      if (findTrap(clause, place, "event") !== undefined || OVER.test(clause) || LEFT.test(statement.text)) continue;
      const quote = quoteAt(statement.page, statement.start, statement.end);
      if (quote !== undefined)
        return { result: [company], rule: "employer that a sentence names", references: [quote] };
    }
  }
  for (const { page, item } of ownItems(filling)) {
    const company = itemsIn(item, "worksFor").map((one) => textIn(one, "name"))[0] ?? textIn(item, "worksFor");
    const filled = company === null ? undefined : structuredValue(page, "worksFor", company);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

const LEFT = /\b(?:until (?:19|20)\d\d|and left|left (?:it|the company) in|\((?:19|20)\d\d\s?[-–]\s?(?:19|20)\d\d\))/i;

/** The person is named, or it is the person's own page that goes on about nobody else. */
function isAbout({ page, text }: Statement, { entity, topic: { context } }: Filling): boolean {
  if (context.names === null) return false;
  const named = [...text.matchAll(context.names)][0];
  // "Tom Hill works at Globex with Dana Fox": who is named first is meant
  if (named !== undefined)
    return named.index === 0 || /^\W*(?:Dr|Prof|Mr|Mrs|Ms)?\.?\s?$/u.test(text.slice(0, named.index));
  return entity.type === "person" && context.isOwn(page) && OWN_LINE.test(text);
}

const OWN_LINE =
  /^(?:(?:She|He|They|I)\s|(?:I['’]m)\s|(?:[Cc]urrently|[Nn]ow)\b|[^.!?\n]{2,80}\s(?:at|@)\s[^.!?\n]{2,60}$)/u;
