import { structuredItems, textIn } from "../entities/structured-items.ts";
import { findQuote, quoteAt } from "../evidence.ts";
import { judgeByRules } from "../judge/judge-by-rules.ts";
import { contentStems, sameStem, stemWords } from "../judge/word-match.ts";
import { findCandidates } from "./find-candidates.ts";
import { fillNumber, firstLine, type Filled, type Filling } from "./fill-values.ts";
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
  const person = asksAuthor ? findAuthor(filling) : findRole(filling);
  if (person !== undefined) return person;
  const fact = structuredFact(filling);
  if (fact !== undefined) return fact;
  const best = findCandidates(pages, topic, "state").find(({ statement }) => !asksAuthor || statement.label !== null);
  const quote = best === undefined ? undefined : quoteAt(best.statement.page, best.statement.start, best.statement.end);
  if (best === undefined || quote === undefined) return undefined;
  const { label, text } = best.statement;
  const value = label === null ? quote.snippet : text.slice(text.indexOf(label) + label.length).replace(/^[\s:|]+/, "");
  const short = value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT).replace(/\s+\S*$/, "")}…`;
  return {
    result: [short],
    rule: label === null ? "sentence with the column's words" : "labelled value",
    references: [quote],
  };
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

/** The author that the page names, where its text shows the name, or its title does. */
function findAuthor({ pages }: Filling): Filled | undefined {
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
  }
  return undefined;
}

const ROLES =
  /\b(CEO|CTO|CFO|COO|chief executive(?: officer)?|founders?|co-?founders?|president|director|chair(?:man|woman|person)?)\b/i;
const PERSON =
  "\\p{Lu}[\\p{L}'’-]{1,40}(?:\\s+(?:\\p{Lu}\\.\\s+)?(?:(?:de|van|von|der|la)\\s+){0,3}\\p{Lu}[\\p{L}'’-]{1,40}){1,2}";

/** "Who is the CEO?": the name beside the role. */
function findRole({ enrichment, pages, topic }: Filling): Filled | undefined {
  const role = ROLES.exec(enrichment.description)?.[1];
  if (role === undefined || !/\b(?:who|name|ceo|founder|person)\b/i.test(enrichment.description)) return undefined;
  const word = /^(?:ceo|chief executive)/i.test(role)
    ? "(?:[Cc]hief [Ee]xecutive(?: [Oo]fficer)?|CEO)"
    : /founder/i.test(role)
      ? "(?:[Cc]o-?)?[Ff]ounder(?: (?:and|&) CEO)?|[Ff]ounded by"
      : role;
  const patterns = [
    new RegExp(`(?:${word})s?[,:]?\\s+(?:is\\s+|are\\s+|and\\s+\\w+\\s+)?(${PERSON}(?:(?:,| and)\\s+${PERSON})*)`, "u"),
    new RegExp(
      `(${PERSON}),?\\s+(?:is\\s+|our\\s+|the\\s+|its\\s+|and\\s+|co-?founder\\s+|founder\\s+){0,6}(?:${word})`,
      "u",
    ),
  ];
  for (const { statement } of findCandidates(pages, topic, "state")) {
    const found = patterns.map((pattern) => pattern.exec(statement.text)?.[1]).find((name) => name !== undefined);
    const quote = quoteAt(statement.page, statement.start, statement.end);
    if (found === undefined || quote === undefined) continue;
    return {
      result: found.split(/,\s+|(?<!\s)\s+and\s+/).filter(Boolean),
      rule: `name beside “${role}”`,
      references: [quote],
    };
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

function structuredFact({ enrichment, pages }: Filling): Filled | undefined {
  const names = FACTS.find(([asks]) => asks.test(enrichment.description))?.[1];
  for (const page of names === undefined ? [] : pages) {
    const value = structuredItems(page)
      .map((item) => textIn(item, ...(names ?? [])))
      .find((one) => one !== null);
    const quote = value === undefined ? undefined : findQuote(page, value);
    if (value !== undefined && quote !== undefined)
      return { result: [value], rule: "structured data, shown in the text", references: [quote] };
  }
  return undefined;
}

/** Options: labels whose words the pages state; ranges by the number, yes and no by the criterion rules. */
export function fillOptions(filling: Filling): Filled | undefined {
  const labels = (filling.enrichment.options ?? []).map(({ label }) => label);
  if (labels.length === 0) return undefined;
  return fillYesNo(filling, labels) ?? fillRange(filling, labels) ?? fillLabels(filling, labels);
}

function fillYesNo({ entity, enrichment, pages }: Filling, labels: readonly string[]): Filled | undefined {
  const yes = labels.find((label) => /^(?:yes|true)$/i.test(label.trim()));
  const no = labels.find((label) => /^(?:no|false)$/i.test(label.trim()));
  if (yes === undefined || no === undefined) return undefined;
  const criterion = enrichment.description
    .replace(
      /^\s*(?:does|do|is|are|has|have|can|whether|if)\s+(?:the\s+|this\s+|it\s+|they\s+)?(?:company|startup|firm|business|person|entity|organization|product)?\s*/i,
      "",
    )
    .replace(/\?\s*$/, "");
  const verdict = judgeByRules({ entity, criterion, pages });
  if (verdict.satisfied === "unclear" || verdict.references.length === 0) return undefined;
  return {
    result: [verdict.satisfied === "yes" ? yes : no],
    rule: verdict.reasoning.replace(/^By the /, "").slice(0, 200),
    references: verdict.references,
  };
}

function fillRange(filling: Filling, labels: readonly string[]): Filled | undefined {
  const ranges = labels.flatMap((label) => {
    const numbers = (label.replaceAll(",", "").match(/\d+(?:\.\d+)?\s*[kKmM]?/g) ?? []).map(
      (one) => parseFloat(one) * (/k$/i.test(one) ? 1e3 : /m$/i.test(one) ? 1e6 : 1),
    );
    const [low, high] = numbers;
    if (low === undefined) return [];
    if (high !== undefined) return [{ label, low, high }];
    if (/\+|more|over|above|>/i.test(label)) return [{ label, low, high: Infinity }];
    if (/less|fewer|under|below|up to|</i.test(label)) return [{ label, low: 0, high: low }];
    return [];
  });
  if (ranges.length < labels.length / 2) return undefined;
  const number = fillNumber(filling);
  const value = Number(number?.result[0] ?? NaN);
  const fits = ranges.find(({ low, high }) => value >= low && value <= high);
  return number === undefined || fits === undefined
    ? undefined
    : { ...number, result: [fits.label], rule: `${number.rule} (${value})` };
}

function fillLabels({ enrichment, pages, topic }: Filling, labels: readonly string[]): Filled | undefined {
  const candidates = [
    ...findCandidates(pages, topic, "state"),
    ...labels.flatMap((label) =>
      findCandidates(pages, { ...topic, stems: contentStems(label).map((stem) => [stem]) }, "state").slice(0, 3),
    ),
  ];
  const wantsMany =
    /\b(?:all|which|types|categories|list|options|platforms|languages|features|any)\b/i.test(enrichment.description) &&
    !/\b(?:type|category|stage|status|size) of\b/i.test(enrichment.description);
  const found: { readonly label: string; readonly score: number; readonly reference: Filled["references"][number] }[] =
    [];
  for (const label of labels) {
    const stems = contentStems(label);
    if (stems.length === 0) continue;
    for (const { statement, score } of candidates) {
      const words = stemWords(statement.text);
      if (!stems.every((stem) => words.some((word) => word.stem === stem || sameStem(word.stem, stem)))) continue;
      const reference = quoteAt(statement.page, statement.start, statement.end);
      if (reference === undefined) continue;
      found.push({ label, score: score + stems.length * 0.1, reference });
      break;
    }
  }
  const ranked = found.sort((one, other) => other.score - one.score);
  const kept = wantsMany ? ranked : ranked.slice(0, 1);
  if (kept.length === 0) return undefined;
  const references = kept.map(({ reference }) => reference);
  return {
    result: labels.filter((label) => kept.some((one) => one.label === label)),
    rule: "label whose words the page states",
    references: references
      .filter(
        (one, index) => references.findIndex((other) => other.url === one.url && other.start === one.start) === index,
      )
      .slice(0, 3),
  };
}
