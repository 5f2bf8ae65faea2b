import type { PageText } from "../evidence.ts";
import { findCompanies } from "./company.ts";
import type { Entity, EntityKind } from "./entity.ts";
import { findPeople } from "./person.ts";
import { findWorks } from "./work.ts";

/** Pages of a search, and what is looked for on them. */
export interface EntitySearch {
  readonly pages: readonly PageText[];
  readonly entity: EntityKind;
  readonly query: string;
}

/** The entities that pages tell of, one for all pages of the same thing, in the order of their first page. */
export function findEntities({ pages, entity }: EntitySearch): readonly Entity[] {
  return mergeEntities([], found(pages, entity.type));
}

function found(pages: readonly PageText[], type: EntityKind["type"]): readonly Entity[] {
  switch (type) {
    case "company":
      return findCompanies(pages);
    case "person":
      return findPeople(pages);
    case "article":
    case "research_paper":
    case "custom":
      return findWorks(pages, type);
  }
}

/**
 * Entities of two findings as one list, those that are the same joined; the order of the first is kept. The same are
 * those that share an identity (site, address, number); a shared name joins only where one of the two has no site of its own.
 */
export function mergeEntities(known: readonly Entity[], found: readonly Entity[]): readonly Entity[] {
  const merged: Entity[] = [];
  const byIdentity = new Map<string, number>();
  for (const entity of [...known, ...found]) {
    const at = entity.sameAs
      .map((identity) => byIdentity.get(`${entity.type} ${identity}`))
      .find((place) => {
        const other = place === undefined ? undefined : merged[place];
        return other !== undefined && areSame(other, entity);
      });
    const other = at === undefined ? undefined : merged[at];
    const place = at ?? merged.length;
    const joined = other === undefined ? entity : join(other, entity);
    merged[place] = joined;
    for (const identity of joined.sameAs) {
      const key = `${entity.type} ${identity}`;
      if (!byIdentity.has(key)) byIdentity.set(key, place);
    }
  }
  return merged;
}

function areSame(one: Entity, other: Entity): boolean {
  const shared = one.sameAs.filter((identity) => other.sameAs.includes(identity));
  if (shared.some((identity) => !identity.startsWith("name:"))) return true;
  const hasSite = (entity: Entity): boolean => entity.sameAs.some((identity) => identity.startsWith("site:"));
  return shared.length > 0 && !(hasSite(one) && hasSite(other));
}

/** The one with a site of its own gives the name and the address; what it does not know comes from the other. */
function join(one: Entity, other: Entity): Entity {
  const hasSite = (entity: Entity): boolean => entity.sameAs.some((identity) => identity.startsWith("site:"));
  const [main, second] = hasSite(other) && !hasSite(one) ? [other, one] : [one, other];
  return {
    ...main,
    aliases: [...new Set([...main.aliases, second.name, ...second.aliases])].filter((name) => name !== main.name),
    properties: fillIn(main.properties, second.properties) as Entity["properties"],
    pages: [...new Set([...main.pages, ...second.pages])],
    sameAs: [...new Set([...main.sameAs, ...second.sameAs])],
  };
}

/** Nulls and empty lists are filled from the other, one level deep into records. */
function fillIn(main: object, second: object): object {
  const other = new Map<string, unknown>(Object.entries(second));
  return Object.fromEntries(
    Object.entries(main).map(([name, value]: [string, unknown]) => {
      const given = other.get(name);
      if (value === null || (Array.isArray(value) && value.length === 0)) return [name, given ?? value];
      const areRecords = [value, given].every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
      return [name, areRecords ? fillIn(value as object, given as object) : value];
    }),
  );
}
