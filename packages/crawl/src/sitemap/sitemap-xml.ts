import sax, { type SAXParser, type Tag } from "sax";
import type { LanguageAlternate } from "../url/choose-canonical.ts";
import type { RawEntry, SitemapNote } from "./sitemap-entry.ts";

/** Reads a sitemap or feed as its text comes, piece by piece. */
export interface SitemapXmlReader {
  /** Takes the next piece and gives the entries that it completed. */
  readonly write: (text: string) => readonly RawEntry[];
  /** Ends the text; gives an entry that was whole but for its end tag. */
  readonly end: () => readonly RawEntry[];
  /** Why nothing more will come, once that is so. */
  readonly stopped: () => SitemapNote | undefined;
  /** What was wrong, in the order found, each kind once. */
  readonly notes: () => readonly SitemapNote[];
}

const MAX_ELEMENT_DEPTH = 64;
const MAX_FIELD_LENGTH = 4096;
const MAX_ATTRIBUTES = 200;
const MAX_ALTERNATES = 200;
/** Errors of one file that are read past; after these it is given up. */
const MAX_ERRORS = 1000;

/** What an element directly inside an entry means; the same names under another parent mean nothing. */
const FIELDS: Readonly<Record<string, string>> = {
  "url/loc": "location",
  "url/lastmod": "modified",
  "url/changefreq": "frequency",
  "url/priority": "priority",
  "url/news/title": "title",
  "url/news/publication_date": "published",
  "url/news/publication/language": "language",
  sitemap: "location",
  "sitemap/loc": "location",
  "sitemap/lastmod": "modified",
  "item/link": "location",
  "item/guid": "guid",
  "item/title": "title",
  "item/pubDate": "published",
  "item/date": "published",
  "entry/title": "title",
  "entry/updated": "modified",
  "entry/published": "published",
};

const ENTRY_KINDS: Readonly<Record<string, RawEntry["kind"]>> = {
  url: "page",
  sitemap: "sitemap",
  item: "page",
  entry: "page",
};
const ROOTS = new Set(["urlset", "sitemapindex", "rss", "feed", "RDF"]);

class GivenUp extends Error {}

interface OpenEntry {
  readonly name: string;
  /** How many elements were open around it. */
  readonly depth: number;
  readonly fields: Map<string, string>;
  readonly alternates: LanguageAlternate[];
}

/**
 * A reader for sitemaps, sitemap indexes, RSS 2.0 and 1.0, and Atom. Elements are known by their place and local
 * name, whatever namespace they claim. Entities that a document defines are not expanded, depth and lengths are
 * limited, and errors are noted and read past.
 */
export function createSitemapXmlReader(): SitemapXmlReader {
  const notes = new Map<SitemapNote["code"], SitemapNote>();
  const path: string[] = [];
  let done: RawEntry[] = [];
  let stop: SitemapNote | undefined;
  let entry: OpenEntry | undefined;
  let field: { readonly name: string; readonly depth: number; text: string } | undefined;
  let [errors, attributes] = [0, 0];

  const note = (code: SitemapNote["code"], message: string): SitemapNote => {
    const made: SitemapNote = { kind: "note", code, message };
    if (!notes.has(code)) notes.set(code, made);
    return made;
  };
  /** A parser of callbacks can only be stopped from within one, by throwing: it may call many times for one byte. */
  const giveUp = (reason: SitemapNote): never => {
    stop = reason;
    throw new GivenUp(reason.message);
  };
  // It counts positions only to see when a comment, a doctype or an attribute outgrows its buffer.
  const parser: SAXParser = sax.parser(true, { trim: false, normalize: false, position: true });

  parser.onerror = (error) => {
    errors += 1;
    if (error.message.startsWith("Max buffer length")) {
      giveUp(note("too-large", "a comment, an attribute or a declaration is longer than 64 KiB"));
    }
    const failure = note("malformed-xml", `the XML is malformed: ${error.message.split("\n", 1)[0] ?? ""}`);
    if (errors > MAX_ERRORS) giveUp(failure);
    parser.resume();
  };

  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) giveUp(note("too-large", `an element has more than ${MAX_ATTRIBUTES} attributes`));
  };

  parser.onopentag = (tag) => {
    const name = localName(tag.name);
    path.push(name);
    if (path.length === 1 && !ROOTS.has(name)) {
      giveUp(note("not-a-sitemap", `the document is a <${name.slice(0, 40)}>, not a sitemap or feed`));
    }
    if (path.length > MAX_ELEMENT_DEPTH) {
      giveUp(note("too-deep", `elements are nested more than ${MAX_ELEMENT_DEPTH} deep`));
    }
    if (entry === undefined) {
      if (!Object.hasOwn(ENTRY_KINDS, name) || path.length === 1) return;
      entry = { name, depth: path.length, fields: new Map(), alternates: [] };
    }
    readAttributes(entry, name, path.length, tag as Tag);
    const key = path.slice(entry.depth - 1).join("/");
    const meaning = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (meaning === undefined) return;
    keepField(); // a <sitemap> that holds its URL bare, before other elements
    field = { name: meaning, depth: path.length, text: "" };
  };

  const take = (text: string): void => {
    if (field !== undefined && field.depth === path.length && field.text.length < MAX_FIELD_LENGTH) field.text += text;
  };
  parser.ontext = take;
  parser.oncdata = take;

  const keepField = (): void => {
    const text = field?.text.trim().slice(0, MAX_FIELD_LENGTH) ?? "";
    if (field !== undefined && text !== "" && entry?.fields.has(field.name) === false)
      entry.fields.set(field.name, text);
    field = undefined;
  };

  const closeEntry = (): void => {
    if (entry === undefined) return;
    const guid = entry.fields.get("guid") ?? "";
    if (!entry.fields.has("location") && /^https?:\/\//i.test(guid)) entry.fields.set("location", guid);
    done.push({ kind: ENTRY_KINDS[entry.name] ?? "page", fields: entry.fields, alternates: entry.alternates });
    entry = undefined;
  };

  parser.onclosetag = () => {
    if (field?.depth === path.length) keepField();
    if (entry !== undefined && entry.depth === path.length) closeEntry();
    path.pop();
  };

  const drain = (): readonly RawEntry[] => {
    const entries = done;
    done = [];
    return entries;
  };

  return {
    write: (text) => {
      try {
        if (stop === undefined) parser.write(text);
      } catch (error) {
        if (!(error instanceof GivenUp)) throw error;
      }
      return drain();
    },
    end: () => {
      const open = path.length > 0;
      if (entry?.fields.has("location") === true) closeEntry();
      if (open && stop === undefined) note("ended-early", "the document ends before its last element does");
      return drain();
    },
    stopped: () => stop,
    notes: () => [...notes.values()],
  };
}

/** Atom's links and the xhtml alternates of a sitemap say it in attributes. */
function readAttributes(entry: OpenEntry, name: string, depth: number, tag: Tag): void {
  if (name !== "link" || depth !== entry.depth + 1) return;
  const attributes = new Map(
    Object.entries(tag.attributes).map(([key, value]) => [localName(key), value.slice(0, MAX_FIELD_LENGTH)]),
  );
  const href = attributes.get("href");
  if (href === undefined) return;
  const rel = attributes.get("rel") ?? "alternate";
  const language = attributes.get("hreflang");
  if (rel !== "alternate") return;
  if (entry.name === "entry" && !entry.fields.has("location")) entry.fields.set("location", href);
  if (entry.name === "url" && language !== undefined && entry.alternates.length < MAX_ALTERNATES) {
    entry.alternates.push({ language, url: href });
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
