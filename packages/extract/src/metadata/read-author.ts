import { textOf, walkTree, type PageElement } from "../html/page-tree.ts";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, isItem, typesOf, type JsonLdItem } from "./json-ld.ts";
import { squeeze } from "./strip-site-name.ts";

const MAX_AUTHOR_CHARS = 80;
const MAX_BYLINE_CHARS = 120;
const MAX_WRITTEN_CHARS = 1_000;
const WRITTEN_TYPES = /article|posting|report|recipe|qapage|question|review|creativework|webpage|howto|comment/i;
const STRONG_NAME = /\bauthor\b|byline|username|user-name|\bposter\b|post-author|entry-author|creator|p-author|fn\b/i;
const NOISE_WORDS =
  /^(?:by|written by|posted by|author|from|text by|words by|story by|published by|reviewed by|updated by|von|por|par|di|door|av)\b[\s:]*/i;
const NOT_A_NAME =
  /^(?:admins?|administrators?|staff|editors?|editorial|authors?|contributors?|writers?|unknown|anonymous|guests?|users?|sign in|log in|login|comments?|share|follow|home|menu|subscribe|more|read more|about|contact|view profile|profile|topic author|original poster|op|reply|posted|updated|published)$/i;

/** What the search for an author knows beside the facts. */
export interface AuthorContext {
  /** Whether somebody writes pages of this kind; elsewhere a name in a byline's place is a reviewer's. */
  readonly isWritten: boolean;
  /** Names of the site and its publisher: as authors they say little. */
  readonly siteNames: readonly string[];
  /** The lines beside the title. */
  readonly creditLines: readonly string[];
}

/**
 * Who wrote the page: its JSON-LD, then its meta elements, then the line under the title, then any byline a reader
 * sees. The name of the site itself counts only where a page is written and names nobody else.
 */
export function readAuthor(facts: PageFacts, context: AuthorContext): string | undefined {
  const { isWritten, siteNames, creditLines } = context;
  const sites = new Set(siteNames.map(squeeze));
  const declared = [fromJsonLd(facts), fromMeta(facts)].filter((name) => name !== undefined);
  const person = declared.find((name) => !sites.has(squeeze(name)));
  if (person !== undefined) return person;
  if (!isWritten) return undefined;
  return fromCreditLines(creditLines) ?? fromBylines(facts.bylines) ?? declared[0];
}

const CREDIT =
  /^(?:(?:written|posted|story|words|text|published|started|asked|submitted|reviewed|article|blog) )?by:?\s+(.+)$|^(?:thread starter|topic starter|author|written by):?\s+(.+)$/i;
const SMALL_WORDS = /^(?:and|&|the|of|de|da|di|del|la|le|van|von|der|den|dr|with|for|at|y|e)$/i;
const MAX_CREDIT_WORDS = 8;

/** A line that begins with "by" and goes on with a name: words with capitals, or one word alone. */
function fromCreditLines(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const match = CREDIT.exec(line);
    const name = match === null ? undefined : cleanName(match[1] ?? match[2] ?? "");
    if (name === undefined) continue;
    const words = name.split(/[\s,]+/);
    const isNamed = words.every((word) => SMALL_WORDS.test(word) || /^[\p{Lu}\p{Lo}]/u.test(word));
    if (words.length <= MAX_CREDIT_WORDS && (isNamed || words.length === 1)) return name;
  }
  return undefined;
}

function fromJsonLd(facts: PageFacts): string | undefined {
  const byId = new Map(facts.jsonLd.flatMap((item) => (typeof item["@id"] === "string" ? [[item["@id"], item]] : [])));
  for (const item of facts.jsonLd) {
    if (!typesOf(item).some((type) => WRITTEN_TYPES.test(type))) continue;
    const main = item["mainEntity"];
    for (const owner of [isItem(main) ? main : undefined, item]) {
      const name = owner === undefined ? undefined : namesOf(owner["author"] ?? owner["creator"], byId);
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

function namesOf(value: unknown, byId: ReadonlyMap<unknown, JsonLdItem>): string | undefined {
  const authors: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
  const names = authors
    .slice(0, 5)
    .map((author) => (isItem(author) && author["name"] === undefined ? byId.get(author["@id"]) : author))
    .map((author) => cleanName(firstText(author) ?? ""))
    .filter((name) => name !== undefined);
  return names.length === 0 ? undefined : [...new Set(names)].join(", ");
}

function fromMeta(facts: PageFacts): string | undefined {
  for (const name of [
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "author_name",
    "og:article:author",
    "twitter:data1",
  ]) {
    if (name === "twitter:data1" && !/written|author|by/i.test(metaValue(facts, "twitter:label1") ?? "")) continue;
    const author = cleanName(metaValue(facts, name) ?? "");
    if (author !== undefined) return author;
  }
  return undefined;
}

/** The first line that names an author outright, else the first that begins with "by". */
function fromBylines(bylines: readonly PageElement[]): string | undefined {
  const ranked = bylines.map((element) => ({ element, rank: rankByline(element) })).filter(({ rank }) => rank > 0);
  ranked.sort((one, other) => other.rank - one.rank);
  for (const { element } of ranked) {
    const bearer = nameWithin(element);
    const text = bearer.attributes["content"] ?? textOf(bearer, MAX_BYLINE_CHARS + 1);
    if (text.length > MAX_BYLINE_CHARS) continue;
    const name = cleanName(text);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The element with the bare name inside a card about the author; the card itself when there is none. */
function nameWithin(card: PageElement): PageElement {
  let link: PageElement | undefined;
  let named: PageElement | undefined;
  walkTree(card, (node) => {
    if (node.kind === "text" || named !== undefined) return false;
    if (node === card) return true;
    if (node.attributes["itemprop"] === "name") named = node;
    else if (node.tag === "a" && textOf(node, MAX_AUTHOR_CHARS) !== "") link ??= node;
    return true;
  });
  return named ?? link ?? card;
}

function rankByline({ attributes, tag }: PageElement): number {
  const rel = attributes["rel"] ?? "";
  const names = `${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`;
  if (/\bauthor\b/.test(rel)) return 5;
  if (/\b(?:author|creator)\b/.test(attributes["itemprop"] ?? "")) return 4;
  if (
    /comment|avatar|\bbio\b|image|photo|author-?(?:box|card|bio|info)|related|review|feedback|testimonial|sidebar|\bnav\b/i.test(
      names,
    ) ||
    tag === "input"
  )
    return 0;
  if (STRONG_NAME.test(names)) return tag === "a" || tag === "span" ? 3 : 2;
  return /author(?!i[sz])/i.test(names) ? 1 : 0;
}

/** A person's or an organisation's name out of a byline; undefined when it holds none. */
export function cleanName(text: string): string | undefined {
  let name = text
    .slice(0, MAX_WRITTEN_CHARS)
    .replace(/[\s\u00a0]+/g, " ")
    .trim();
  for (let round = 0; round < 3; round += 1) name = name.replace(NOISE_WORDS, "");
  name = name
    .replace(/\s?[|•·⋅—–]\s.*$/s, "")
    .replace(/\s(?:at|on)\s(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*$/is, "")
    .replace(
      /,?\s?(?:(?:on|at)\s)?(?:\d{1,2}\s)?\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s\d.*$/is,
      "",
    )
    .replace(/\s?\(?\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*$/s, "")
    .replace(/\s?(?:published|updated|posted|last modified|follow)\b.*$/is, "")
    .replace(/^[\s,;:@-]+|(?<![\s,;:-])[\s,;:-]+$/g, "");
  if (name.length < 2 || name.length > MAX_AUTHOR_CHARS || NOT_A_NAME.test(name)) return undefined;
  if (/https?:|www\.|[<>{}[\]=]|\S@\S/.test(name) || !/\p{L}/u.test(name)) return undefined;
  return name.split(" ").length > 10 ? undefined : name;
}
