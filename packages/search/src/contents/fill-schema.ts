import type { Grounding } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";
import { confidenceOf, findEvidence, type Evidence } from "./evidence.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";
import type { JsonSchema } from "./output-schema.ts";
import { createFieldReader, keepAboutField, type ReadFieldWords } from "./field-words.ts";
import { isAddress, readFact, readOwnAddress, readValue, type Leaf } from "./read-value.ts";

/** An object that a schema asked for, and what each of its fields rests on. */
export interface FilledObject {
  readonly content: Readonly<Record<string, unknown>>;
  readonly grounding: readonly Grounding[];
}

interface Filling {
  readonly scoreSentences: ScoreSentences;
  readonly root: JsonSchema;
  readonly query: string;
  readonly readFieldWords: ReadFieldWords;
  readonly grounding: Grounding[];
  /** Questions that may still be asked of the pages: a schema may have more fields than anyone will wait for. */
  leavesLeft: number;
}

const MAX_LEAVES = 60;
const MAX_DEPTH = 6;
const MAX_PAGES = 10;
const DEFAULT_ITEMS = 5;
const MAX_ITEMS = 20;
/** Of a longer description the beginning says what is wanted, and every word is looked for on every page. */
const MAX_DESCRIPTION_WORDS = 60;

/**
 * Fills a schema from what stands on pages, field by field: each is a question whose best sentence has the value. What
 * the pages do not say is null where the schema lets it be, or must have it, and left out elsewhere.
 */
export function fillSchema(
  scoreSentences: ScoreSentences,
  wish: {
    readonly schema: JsonSchema;
    readonly query: string;
    readonly pages: readonly ContentPage[];
    /** One for the query, where the same schema is filled from page after page. */
    readonly readFieldWords?: ReadFieldWords | undefined;
  },
): FilledObject {
  const grounding: Grounding[] = [];
  const filling: Filling = {
    scoreSentences,
    root: wish.schema,
    query: wish.query,
    readFieldWords: wish.readFieldWords ?? createFieldReader(wish.query),
    grounding,
    leavesLeft: MAX_LEAVES,
  };
  const pages = wish.pages.filter(({ text }) => text !== "").slice(0, MAX_PAGES);
  return {
    content: fillObject(filling, wish.schema, { path: "", words: "", name: "", description: "", depth: 0, pages }),
    grounding,
  };
}

/** Where in the output a value stands, what its name says, and the pages it may come from. */
interface Place {
  readonly path: string;
  readonly words: string;
  /** The name of the field itself, in words. */
  readonly name: string;
  readonly description: string;
  readonly depth: number;
  readonly pages: readonly ContentPage[];
}

function fillObject(filling: Filling, schema: JsonSchema, place: Place): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required: unknown = schema["required"];
  const content: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(properties)) {
    const { schema: inner, nullable } = resolve(filling.root, given);
    const description = typeof inner["description"] === "string" ? beginningOf(inner["description"]) : "";
    const words = toWords(name);
    const value = fillValue(filling, inner, {
      path: place.path === "" ? name : `${place.path}.${name}`,
      words: `${place.words} ${words} ${description}`.trim(),
      name: words,
      description,
      depth: place.depth + 1,
      pages: place.pages,
    });
    if (value !== undefined) content[name] = value;
    else if (nullable || (Array.isArray(required) && required.includes(name))) content[name] = null;
  }
  return content;
}

function fillValue(filling: Filling, schema: JsonSchema, place: Place): unknown {
  if (place.depth > MAX_DEPTH) return undefined;
  if ("const" in schema) return schema["const"];
  const type = typeOf(schema);
  if (type === "object") return fillObject(filling, schema, place);
  if (type === "array") return fillArray(filling, schema, place);
  const leaf = { schema, type, name: place.path.split(".").at(-1) ?? "" };
  const evidence = ask(filling, place);
  const found =
    readFact(leaf, evidence, place.pages) ??
    readValue(leaf, aboutField(filling, evidence, { leaf, place })) ??
    readOwnAddress(leaf, evidence, place.pages);
  if (found === undefined) return undefined;
  note(filling, place.path, found.evidence);
  return found.value;
}

/** The sentences that speak to the field. A value that is known by its looks says by itself what it is. */
function aboutField(
  { readFieldWords }: Filling,
  evidence: readonly Evidence[],
  { leaf, place: { name, description } }: { readonly leaf: Leaf; readonly place: Place },
): readonly Evidence[] {
  const { schema, type } = leaf;
  const format = String(schema["format"]);
  if (Array.isArray(schema["enum"]) || isAddress(leaf) || format === "email") return evidence;
  const isFigure = type !== "string" || format.startsWith("date");
  return keepAboutField(evidence, readFieldWords({ name, description, isFigure }));
}

/** A list of objects has one for each page; a list of values the best of each page. */
function fillArray(filling: Filling, schema: JsonSchema, place: Place): readonly unknown[] | undefined {
  const { schema: items } = resolve(filling.root, schema["items"]);
  const most = typeof schema["maxItems"] === "number" ? Math.min(schema["maxItems"], MAX_ITEMS) : DEFAULT_ITEMS;
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const values: unknown[] = [];
  for (const page of place.pages.slice(0, most)) {
    const path = `${place.path}[${values.length}]`;
    const value = fillValue(filling, items, { ...place, path, depth: place.depth + 1, pages: [page] });
    const isEmpty = value === undefined || (isSchema(value) && Object.values(value).every((one) => one === null));
    if (!isEmpty && !values.includes(value)) values.push(value);
  }
  return values.length < Math.max(1, least) ? undefined : values;
}

function ask(filling: Filling, place: Place): readonly Evidence[] {
  if (filling.leavesLeft <= 0) return [];
  filling.leavesLeft -= 1;
  return findEvidence(filling.scoreSentences, place.pages, `${place.words} ${filling.query}`.trim());
}

function note(filling: Filling, field: string, { page, score }: Pick<Evidence, "page" | "score">): void {
  filling.grounding.push({
    field,
    citations: [{ url: page.url, title: page.title ?? page.url }],
    confidence: confidenceOf(score),
  });
}

/** The schema that counts: references followed, the first branch that is not null taken. */
function resolve(root: JsonSchema, given: unknown): { readonly schema: JsonSchema; readonly nullable: boolean } {
  let schema: unknown = given;
  let nullable = false;
  for (let step = 0; step < MAX_DEPTH && isSchema(schema); step += 1) {
    const types: unknown = schema["type"];
    if (types === "null" || (Array.isArray(types) && types.includes("null")) || schema["nullable"] === true) {
      nullable = true;
    }
    const reference: unknown = schema["$ref"];
    const branches: unknown = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
    if (typeof reference === "string") schema = follow(root, reference);
    else if (Array.isArray(branches)) {
      const parts: readonly unknown[] = branches;
      nullable ||= parts.some((part) => isSchema(part) && part["type"] === "null");
      schema = parts.find((part) => isSchema(part) && part["type"] !== "null");
    } else break;
  }
  return { schema: isSchema(schema) ? schema : {}, nullable };
}

function follow(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference
    .slice(1)
    .split("/")
    .filter((step) => step !== "");
  return steps.reduce<unknown>(
    (value, step) => (isSchema(value) ? value[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
    root,
  );
}

function typeOf(schema: JsonSchema): string {
  const { type } = schema;
  if (typeof type === "string") return type;
  if (Array.isArray(type))
    return type.find((one): one is string => typeof one === "string" && one !== "null") ?? "string";
  if (isSchema(schema["properties"])) return "object";
  return "items" in schema ? "array" : "string";
}

function beginningOf(description: string): string {
  return description.trim().split(/\s+/, MAX_DESCRIPTION_WORDS).join(" ");
}

/** `foundingYear` and `founding_year` are both "founding year". */
function toWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase()
    .trim();
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
