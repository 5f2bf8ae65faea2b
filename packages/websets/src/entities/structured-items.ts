import type { PageText } from "../evidence.ts";

/** An item of a page's structured data, JSON-LD or microdata alike: its types and its properties. */
export interface StructuredItem {
  readonly types: readonly string[];
  readonly id: string | null;
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
}

const MAX_ITEMS = 500;
const MAX_DEPTH = 6;

const known = new WeakMap<PageText, readonly StructuredItem[]>();

/** All items of a page, nested ones too, outer first. */
export function structuredItems(page: PageText): readonly StructuredItem[] {
  const remembered = known.get(page);
  if (remembered !== undefined) return remembered;
  const items: StructuredItem[] = [];
  for (const entry of page.structured ?? []) {
    if (!isRecord(entry)) continue;
    if (entry["format"] === "json-ld") collect(entry["item"], items, 0);
    else if (entry["format"] === "microdata") collect(entry["item"], items, 0);
  }
  known.set(page, items);
  return items;
}

/** OpenGraph and its kin: the name of each property without its vocabulary kept, the first value of each. */
export function openGraph(page: PageText): Readonly<Record<string, string>> {
  const entry = (page.structured ?? []).find((one) => isRecord(one) && one["format"] === "open-graph");
  const item = isRecord(entry) ? entry["item"] : undefined;
  if (!isRecord(item)) return {};
  return Object.fromEntries(
    Object.entries(item).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

/** The first text under a property: itself, or the name or value of the item it holds. */
export function textIn(item: StructuredItem | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    for (const value of item?.properties[name] ?? []) {
      const text = toText(value);
      if (text !== null) return text;
    }
  }
  return null;
}

/** The items under a property. */
export function itemsIn(item: StructuredItem | undefined, name: string): readonly StructuredItem[] {
  return (item?.properties[name] ?? []).flatMap((value) => toItem(value) ?? []);
}

/** All texts under a property. */
export function textsIn(item: StructuredItem | undefined, name: string): readonly string[] {
  return (item?.properties[name] ?? []).flatMap((value) => toText(value) ?? []);
}

function toText(value: unknown): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value.trim().slice(0, 5_000);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  const item = toItem(value);
  if (item === undefined) return null;
  for (const name of ["name", "@value", "value", "url", "@id"]) {
    const inner = item.properties[name]?.[0];
    if (typeof inner === "string" && inner.trim() !== "") return inner.trim().slice(0, 5_000);
    if (typeof inner === "number") return String(inner);
  }
  return item.id;
}

function collect(value: unknown, items: StructuredItem[], depth: number): void {
  if (items.length >= MAX_ITEMS || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const one of value) collect(one, items, depth);
    return;
  }
  const item = toItem(value);
  if (item === undefined) return;
  if (item.types.length > 0) items.push(item);
  for (const values of Object.values(item.properties)) {
    for (const inner of values) if (typeof inner === "object" && inner !== null) collect(inner, items, depth + 1);
  }
}

/** JSON-LD has its properties at the top, microdata below `properties`. */
function toItem(value: unknown): StructuredItem | undefined {
  if (!isRecord(value)) return undefined;
  const isMicrodata = isRecord(value["properties"]) && Array.isArray(value["type"]);
  const types = listOf(isMicrodata ? value["type"] : value["@type"])
    .filter((type) => typeof type === "string")
    .map((type) => type.replace(/^.*[/#:]/, ""));
  const fields = isMicrodata ? value["properties"] : value;
  if (!isRecord(fields)) return undefined;
  const id = isMicrodata ? value["id"] : value["@id"];
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [name.replace(/^.*[/#:]/, ""), listOf(one)]),
  );
  return { types, id: typeof id === "string" ? id : null, properties };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
