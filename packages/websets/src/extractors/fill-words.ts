import { itemsIn, textIn } from "../entities/structured-items.ts";
import { findQuote, findWords, quoteAt } from "../evidence.ts";
import { askedRole } from "./asked-role.ts";
import { findCandidates } from "./find-candidates.ts";
import { asksEmployer, findEmployer } from "./find-employer.ts";
import { findRole } from "./find-role.ts";
import { wholeName } from "./person-names.ts";
import { readEmails } from "./read-emails.ts";
import type { Filled, Filling } from "./filling.ts";
import { firstLine } from "./page-lines.ts";
import { itemsAbout, ownAddress, ownRole } from "./structured-facts.ts";
import { readProduct } from "./product.ts";

const MAX_TEXT = 400;

/** Text: the value of a label, a fact of the structured data that the text shows, or the sentence that says most. */
export function fillText(filling: Filling): Filled | undefined {
  const { enrichment, pages, topic } = filling;
  const product = /\b(?:sku|product code|article number)\b/i.test(enrichment.description)
    ? productFact(filling, "sku")
    : undefined;
  if (product !== undefined) return product;
  const asksAuthor = AUTHORSHIP.test(enrichment.description);
  const author = asksAuthor ? findAuthor(filling) : undefined;
  if (author !== undefined) return author;
  const role = asksAuthor ? undefined : askedRole(filling);
  // whoever asks for a person is told a name or nothing
  if (role !== undefined) return findRole(filling, role) ?? ownRole(filling, role);
  if (asksEmployer(filling)) return findEmployer(filling);
  const fact = structuredFact(filling);
  if (fact !== undefined) return fact;
  const asksName = asksAuthor || ASKS_NAME.test(enrichment.description);
  const asksEmail = /\b(?:e-?mail|contact)\b/i.test(enrichment.description);
  const best = findCandidates(pages, topic, "state").find(({ statement: { label, text } }) => {
    const value = label === null ? text : valueOf(text, label);
    if (/\?["”»]?$/.test(text.trim()) || value.trim().endsWith("?")) return false;
    if (!asksEmail && readEmails(value)[0]?.start === 0) return false;
    return !asksName || (label !== null && looksLikeName(value));
  });
  const quote = best === undefined ? undefined : quoteAt(best.statement.page, best.statement.start, best.statement.end);
  if (best === undefined || quote === undefined)
    return ASKS_ADDRESS.test(enrichment.description) ? ownAddress(filling) : undefined;
  const { label, text } = best.statement;
  const value = label === null ? quote.snippet : valueOf(text, label);
  const short = value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT).replace(/\s+\S*$/, "")}…`;
  return {
    result: [short],
    rule: label === null ? "sentence with the column's words" : "labelled value",
    references: [quote],
  };
}

const ASKS_ADDRESS = /^(?!.*\b(?:e-?mail|web|url)\b).*\b(?:address|headquarters)\b/i;
/** Asks for a name, which a sentence is not. */
const ASKS_NAME = /^\s*(?:who|whose)\b|\bnames? (?:of|and)\b|\bnames?\s*$/i;
const MAX_NAME_WORDS = 8;

function looksLikeName(value: string): boolean {
  const isShort = value.split(/\s+/).length <= MAX_NAME_WORDS && !value.includes("\n");
  return isShort && /^[\p{Lu}\p{N}]/u.test(value) && !/(?<!\b\p{L}{1,4})[.!?:]$/u.test(value);
}

/** What stands behind a label, or above it. */
function valueOf(text: string, label: string): string {
  const at = text.indexOf(label);
  const behind = text.slice(at + label.length).replace(/^[\s:|]+/, "");
  return behind === "" ? text.slice(0, at).trim() : behind;
}

function productFact({ pages }: Filling, name: "sku"): Filled | undefined {
  for (const page of pages) {
    const value = readProduct(page)[name];
    const quote = value === null ? undefined : findQuote(page, value);
    if (value !== null && quote !== undefined)
      return { result: [value], rule: "the page's product data, shown in the text", references: [quote] };
  }
  return undefined;
}

/** Asks who made the text itself: a sentence with such words tells of other texts, so that only a label counts beside the page's word. */
const AUTHORSHIP =
  /\bwho (?:wrote|gave|delivered|spoke|held|published|penned|authored)\b|\b(?:authors?|writers?)\b|\b(?:who|name) (?:is|of) the speaker\b|\b(?:written|given|delivered|spoken) by\b/i;

const WRITTEN = /\b(?:authors?|writers?|wrote|written by|authored|penned|byline)\b/i;

/** The author that the page names, where its text shows the name, or its title does. */
function findAuthor({ entity, enrichment, pages }: Filling): Filled | undefined {
  const isText = entity.type === "article" || entity.type === "research_paper";
  for (const page of pages) {
    const author = page.author?.trim() ?? "";
    if (author === "") continue;
    const shown = findQuote(page, author);
    if (shown !== undefined)
      return { result: [author], rule: "the page's author, named in the text", references: [shown] };
    const { title } = page;
    const quote = title?.includes(author) === true ? (findQuote(page, title) ?? firstLine(page)) : undefined;
    if (quote !== undefined)
      return { result: [author], rule: `the page's author, named in its title “${title ?? ""}”`, references: [quote] };
    // the byline is no part of a page's main text; who gave a speech is not who put it on the web
    const names = author.split(/ ?[,;&] | and /).map((name) => wholeName(name));
    const beside = (title === null ? undefined : findQuote(page, title)) ?? firstLine(page);
    if (isText && WRITTEN.test(enrichment.description) && beside !== undefined && !names.includes(undefined))
      return { result: [author], rule: "the page's own author", references: [beside], isBeside: true };
  }
  return undefined;
}

const FACTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bindustry\b|\bsector\b/i, ["industry"]],
  [/\bbrand\b/i, ["brand"]],
  [/\bjob title\b|\bposition\b/i, ["jobTitle"]],
  [/\bauthors?\b/i, ["author"]],
  [/\b(?:city|headquarters|location)\b/i, ["addressLocality"]],
];

function structuredFact(filling: Filling): Filled | undefined {
  const names = FACTS.find(([asks]) => asks.test(filling.enrichment.description))?.[1] ?? [];
  for (const { page, item } of names.length === 0 ? [] : itemsAbout(filling)) {
    const value = [item, ...itemsIn(item, "address")].map((one) => textIn(one, ...names)).find((one) => one !== null);
    const quote = typeof value !== "string" ? undefined : findWords(page, value);
    if (typeof value === "string" && quote !== undefined)
      return { result: [value], rule: "structured data, shown in the text", references: [quote] };
  }
  return undefined;
}
