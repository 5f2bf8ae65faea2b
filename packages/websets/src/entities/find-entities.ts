import type { PageText } from "../evidence.ts";
import type { Entity, EntityKind } from "./entity.ts";

/** Pages of a search, and what is looked for on them. */
export interface EntitySearch {
  readonly pages: readonly PageText[];
  readonly entity: EntityKind;
  readonly query: string;
}

/** The entities that pages tell of, one for all pages of the same thing, in the order of their first page. */
export function findEntities({ pages, entity }: EntitySearch): readonly Entity[] {
  void pages;
  void entity;
  return [];
}

/** Entities of two findings as one list, those that are the same joined; the order of the first is kept. */
export function mergeEntities(known: readonly Entity[], found: readonly Entity[]): readonly Entity[] {
  return [...known, ...found];
}
