import { ROLES, type RoleFamily } from "./column-words.ts";
import type { Filling } from "./filling.ts";
import { roleWords } from "./person-names.ts";

/** The role whose holder a column asks for. */
export interface AskedRole {
  /** As the column writes it. */
  readonly written: string;
  /** Where nobody has the first, the next is looked for. */
  readonly families: readonly RoleFamily[];
}

/** What a column that wants a person says besides the role. */
const BESIDES =
  /(?<![\p{L}\p{N}])(?:who|whom|name|names|full|is|are|was|the|of|a|an|at|for|in|to|and|or|its|their|our|your|this|current|currently|present|person|people|list|all|find|give|identify|please|company|companies|startup|firm|business|organi[sz]ation|brand|team|head|leader|s|wer|ist|der|die|das|des|qui|est|le|la|les|du|de|von)(?![\p{L}\p{N}])/giu;
/** What a column asks about a person rather than for one. */
const OF_A_PERSON =
  /\b(?:former|previous(?:ly)?|ex|past|first|email|e-mail|mail|phone|salary|age|linkedin|twitter|url|link|profile|background|biography|bio|education|universit(?:y|ies)|school|degree|nationality|gender|photo|picture|number|count|how many|when|date|year|since)\b/i;
/** Roles that no family has: "Head of Sales". */
const FURTHER_ROLE =
  /(?<!\p{L})(?:head of \p{L}{2,30}|chief \p{L}{2,30} officer|(?:vp|vice president)(?: of)? \p{L}{2,30}|\p{L}{2,30} (?:director|manager|lead|officer))(?!\p{L})/iu;

/** The role that a column asks the holder of; undefined where it asks for something else. */
export function askedRole({ entity, enrichment }: Pick<Filling, "entity" | "enrichment">): AskedRole | undefined {
  const { description } = enrichment;
  if (OF_A_PERSON.test(description)) return undefined;
  const further = FURTHER_ROLE.exec(description)?.[0];
  const known = ROLES.map((family) => ({ family, written: wordsOf(family).exec(description)?.[0] })).find(
    ({ written }) => written !== undefined,
  );
  // "Technical director" is more than "director"
  const isFurther =
    further !== undefined && (known?.written === undefined || further.length > known.written.length + 3);
  const family: RoleFamily | undefined = isFurther ? { en: further } : known?.family;
  const written = isFurther ? further : known?.written;
  if (family === undefined || written === undefined) return undefined;
  if (!/\b(?:who|name)\b/i.test(description)) {
    const rest = [family, ...ROLES]
      .reduce((text, one) => text.replaceAll(wordsOf(one, "giu"), " "), description)
      .replaceAll(entity.name, " ")
      .replaceAll(BESIDES, " ");
    if (/[\p{L}\p{N}]/u.test(rest)) return undefined;
  }
  return { written, families: family.orElse === undefined ? [family] : [family, family.orElse] };
}

function wordsOf(family: RoleFamily, flags = "iu"): RegExp {
  const asks = family.asks === undefined ? "" : `|${family.asks}`;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${roleWords(family)}${asks})(?![\\p{L}\\p{N}])`, flags);
}

/** Where a text names a role. */
export function rolePattern(family: RoleFamily): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${roleWords(family)})(?![\\p{L}\\p{N}])`, "giu");
}
