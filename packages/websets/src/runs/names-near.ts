import { isUrl } from "@quarry/base";
import type { Entity } from "../entities/entity.ts";
import type { PageText } from "../evidence.ts";
import { siteOf, spellings } from "../judge/subject.ts";

/** Characters between two names that a page tells of together: a few sentences, or a card of a list. */
const NEAR_CHARACTERS = 300;
/** Mentions of one name that are looked at on one page. */
const MAX_MENTIONS = 1_000;

type Named = Pick<Entity, "type" | "name" | "aliases" | "url">;

/**
 * Whether a page on which an entity was found tells of another one with it: it is the other's own page, its title names the
 * other, or its text names both near each other. Words alone: what they are to each other is for criteria to judge.
 */
export function namesNear(page: PageText, entity: Named, other: Named): boolean {
  if (page.url === other.url || (other.type === "company" && isOwnSite(page, other))) return true;
  const pattern = patternOf(other);
  if (page.title !== null && page.title.search(pattern) !== -1) return true;
  const places = mentionsOf(page.text, pattern);
  if (places.length === 0) return false;
  return mentionsOf(page.text, patternOf(entity)).some((place) =>
    places.some((at) => Math.abs(at - place) <= NEAR_CHARACTERS),
  );
}

function isOwnSite(page: PageText, company: Named): boolean {
  const site = siteOf(company.url);
  return site !== null && siteOf(page.url) === site;
}

/** Its names, and a company's domain, as whole words. */
function patternOf({ type, name, aliases, url }: Named): RegExp {
  const site = type === "company" && isUrl(url) ? siteOf(url) : null;
  const names = [...[name, ...aliases].flatMap(spellings), ...(site === null ? [] : [site])];
  const words = [...new Set(names)].sort((one, two) => two.length - one.length);
  if (words.length === 0) return /(?!)/gu;
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}

function mentionsOf(text: string, pattern: RegExp): readonly number[] {
  const places: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    if (places.push(index) === MAX_MENTIONS) break;
  }
  return places;
}
