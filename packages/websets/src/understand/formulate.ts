import type { EntityKind } from "../entities/entity.ts";
import { contentStems } from "../judge/word-match.ts";

const MAX_FORMULATIONS = 6;
const MAX_CHARACTERS = 400;
const NOUNS: Readonly<Record<Exclude<EntityKind["type"], "custom">, string>> = {
  company: "company",
  person: "person profile",
  article: "article",
  research_paper: "research paper",
};

/**
 * Several ways to ask the index for the same thing, the query's own words first: its criteria together, each of them alone with the
 * kind, and its telling words alone. Different on purpose: what two of them find tells how much none has found.
 */
export function formulate(
  query: string,
  entity: EntityKind,
  criteria: readonly { readonly description: string }[],
): readonly string[] {
  const bare = query
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const noun = entity.type === "custom" ? entity.description : NOUNS[entity.type];
  const descriptions = criteria.map(({ description }) => description);
  const keywords = [...new Set(bare.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.+#-]*/gu) ?? [])]
    .filter((word) => contentStems(word).length > 0)
    .join(" ");
  const all = [
    bare,
    `${noun} ${descriptions.join(" ")}`,
    ...descriptions.map((description) => `${noun} ${description}`),
    keywords,
    ...descriptions.map((description) => asPagesSay(description, entity)),
  ];
  const short = all.map((one) => one.slice(0, MAX_CHARACTERS).trim()).filter((one) => one !== "");
  return short
    .filter((one, index) => short.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === index)
    .slice(0, MAX_FORMULATIONS);
}

/** A criterion as a page of the entity would write it. */
function asPagesSay(description: string, entity: EntityKind): string {
  if (entity.type !== "company") return description;
  return `we are ${description
    .replace(/^is\s+/i, "")
    .replace(/^has\s+/i, "a company with ")
    .replace(/^offers?\s+/i, "offering ")
    .replace(/^makes?\s+/i, "a maker of ")}`;
}
