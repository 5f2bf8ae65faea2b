import { readFile } from "node:fs/promises";
import path from "node:path";
import type { SamplePage } from "@quarry/ingest";

/** What a page's HTML states about itself in a way only its site knows. */
export interface StatedFacts {
  readonly author?: string | undefined;
  readonly publishedDate?: string | undefined;
  readonly category?: string | undefined;
}

/** How one site's pages are read. */
export interface HtmlSite {
  readonly licence: string;
  /** Where in the unpacked package the pages lie. */
  readonly directory: string;
  /** File names without ".html", separated by white space; `releases/{3.1 3.2}` stands for two. */
  readonly pages: string;
  readonly toUrl: (page: string) => string;
  readonly facts?: (html: string, page: string) => StatedFacts;
}

/** Reads the pages of a site, in the order they are named. Throws when one is not there: the package has changed. */
export async function readHtmlSite(root: string, site: HtmlSite): Promise<readonly SamplePage[]> {
  return Promise.all(
    expandPages(site.pages).map(async (page) => {
      const file = path.join(root, site.directory, `${page}.html`);
      const html = await readFile(file, "utf8");
      return { url: site.toUrl(page), licence: site.licence, ...site.facts?.(html, page), html };
    }),
  );
}

/** The first match of `pattern` in a page, tags and entities taken out. */
export function stated(html: string, pattern: RegExp): string | undefined {
  const text = pattern
    .exec(html)?.[1]
    ?.replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&lt;.*?&gt;|&#\d+;|&[a-z]+;/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(" ,", ",")
    .trim();
  return text === "" ? undefined : text;
}

/** A date written as "April 6, 2021" or "2021-04-06", as ISO 8601. */
export function toIsoDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : `${text} UTC`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function expandPages(pages: string): readonly string[] {
  return [...pages.matchAll(/([^\s{}]*)(?:\{([^}]*)\})?/g)].flatMap(([whole, start = "", choices]) => {
    if (whole === "") return [];
    if (choices === undefined) return [start];
    return choices.split(/\s+/).flatMap((choice) => (choice === "" ? [] : [`${start}${choice}`]));
  });
}
