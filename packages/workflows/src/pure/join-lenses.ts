import type { WorkflowItem } from "../project-item.ts";
import { nameSimilarity, sameAddress } from "./name-similarity.ts";

/** How items of several lenses are joined. */
export interface JoinWish {
  readonly by: "entity" | "temporal" | "entity+temporal" | "cooccurrence" | "value";
  /** The enrichment that holds a date (temporal) or the value (value). */
  readonly enrichment?: string | undefined;
  readonly days: number;
  readonly similarity: number;
  readonly minLenses: number;
}

/** What a lens shows, under its name. */
export interface LensItems {
  readonly lens: string;
  readonly items: readonly WorkflowItem[];
}

/** Items of different lenses that belong together. */
export interface Join {
  /** Stays the same from run to run while the join is about the same thing. */
  readonly key: string;
  readonly lenses: readonly string[];
  readonly items: readonly {
    readonly lens: string;
    readonly id: string;
    readonly url: string;
    readonly name: string;
  }[];
}

const DAY_MS = 86_400_000;

/** The joins of at least `minLenses` lenses, in the order of the first lens that has a part in them. */
export function joinLenses(lenses: readonly LensItems[], wish: JoinWish): readonly Join[] {
  if (wish.by === "cooccurrence") return joinByCooccurrence(lenses, wish);
  const groups: { lens: string; item: WorkflowItem }[][] = [];
  for (const { lens, items } of lenses) {
    for (const item of items) {
      const group = groups.find((members) => members.some((member) => belongsTogether(member.item, item, wish)));
      if (group === undefined) groups.push([{ lens, item }]);
      else group.push({ lens, item });
    }
  }
  return groups.map((members) => toJoin(members, wish)).filter((join) => join.lenses.length >= wish.minLenses);
}

function belongsTogether(one: WorkflowItem, other: WorkflowItem, wish: JoinWish): boolean {
  switch (wish.by) {
    case "entity":
      return isSameEntity(one, other, wish.similarity);
    case "temporal":
      return isClose(one, other, wish);
    case "entity+temporal":
      return isSameEntity(one, other, wish.similarity) && isClose(one, other, wish);
    case "value": {
      const values = new Set(valuesOf(one, wish));
      return valuesOf(other, wish).some((value) => values.has(value));
    }
    case "cooccurrence":
      return false;
  }
}

function isSameEntity(one: WorkflowItem, other: WorkflowItem, similarity: number): boolean {
  return sameAddress(one.url) === sameAddress(other.url) || nameSimilarity(one.name, other.name) >= similarity;
}

function isClose(one: WorkflowItem, other: WorkflowItem, wish: JoinWish): boolean {
  const [first, second] = [dateOf(one, wish), dateOf(other, wish)];
  return first !== undefined && second !== undefined && Math.abs(first - second) <= wish.days * DAY_MS;
}

function dateOf(item: WorkflowItem, { enrichment }: JoinWish): number | undefined {
  const texts =
    enrichment === undefined
      ? Object.values(item.enrichmentResults).flat()
      : (item.enrichmentResults[enrichment] ?? []);
  return texts
    .map((text) => (/\d{4}/.test(text) ? Date.parse(text) : Number.NaN))
    .find((time) => Number.isFinite(time));
}

function valuesOf(item: WorkflowItem, { enrichment = "" }: JoinWish): readonly string[] {
  return (item.enrichmentResults[enrichment] ?? []).map((value) => value.trim().toLowerCase());
}

/** All lenses that show anything at all at the same time are one join. */
function joinByCooccurrence(lenses: readonly LensItems[], wish: JoinWish): readonly Join[] {
  const shown = lenses.filter(({ items }) => items.length > 0);
  if (shown.length < wish.minLenses) return [];
  const members = shown.flatMap(({ lens, items }) => items.map((item) => ({ lens, item })));
  return [
    {
      ...toJoin(members, wish),
      key: shown
        .map(({ lens }) => lens)
        .sort()
        .join("+"),
    },
  ];
}

function toJoin(members: readonly { readonly lens: string; readonly item: WorkflowItem }[], wish: JoinWish): Join {
  const [first] = members;
  const shared = first === undefined || wish.by !== "value" ? undefined : valuesOf(first.item, wish)[0];
  return {
    key: shared ?? (first === undefined ? "" : sameAddress(first.item.url)),
    lenses: [...new Set(members.map(({ lens }) => lens))],
    items: members.map(({ lens, item: { id, url, name } }) => ({ lens, id, url, name })),
  };
}
