import { z } from "zod";

const references = z.array(z.object({ url: z.string() }).loose()).optional();

/** What the projections read of a webset's item; the rest passes through. */
export const websetItemSchema = z.looseObject({
  id: z.string(),
  properties: z.looseObject({
    type: z.string().optional(),
    url: z.string(),
    description: z.string().nullish(),
  }),
  evaluations: z
    .array(z.looseObject({ criterion: z.string(), satisfied: z.enum(["yes", "no", "unclear"]), references }))
    .nullish(),
  enrichments: z
    .array(
      z.looseObject({
        enrichmentId: z.string(),
        format: z.string(),
        status: z.string().optional(),
        result: z.array(z.string()).nullish(),
        references,
      }),
    )
    .nullish(),
});

/** An item of a webset, as the wire has it. */
export type WebsetItem = z.output<typeof websetItemSchema>;

/** What an enrichment asks for, by its id. */
export type EnrichmentNames = ReadonlyMap<string, string>;

/** Tier 1: who it is, where it is, which criteria of the list it meets. */
export interface ItemCard {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly description: string;
  /** Places in the list of criteria. */
  readonly met: readonly number[];
  /** Places of those about which the pages say nothing. */
  readonly unclear?: readonly number[];
}

/** Tier 2: the card, and what the enrichments found, without reasons and references. */
export interface ItemAnswers extends ItemCard {
  readonly enrichments: readonly {
    readonly description: string;
    readonly format: string;
    readonly result: readonly string[] | null;
  }[];
}

/** An item in a workflow's result. */
export interface WorkflowItem {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly description: string;
  /** The criteria it meets, in words. */
  readonly satisfied: readonly string[];
  /** What each enrichment asked, and what it found. */
  readonly enrichmentResults: Readonly<Record<string, readonly string[]>>;
}

/** The most a card takes as JSON in UTF-8. */
export const MAX_CARD_BYTES = 300;
const MAX_DESCRIPTION = 200;
const MAX_NAME = 80;

/** Whether an item stays in lists: it has no criteria, or it meets one. */
export function isIncluded({ evaluations }: WebsetItem): boolean {
  return (evaluations ?? []).length === 0 || (evaluations ?? []).some(({ satisfied }) => satisfied === "yes");
}

/** The criteria of these items, each once, in the order in which they appear: what the cards' numbers mean. */
export function listCriteria(items: readonly WebsetItem[]): readonly string[] {
  return [...new Set(items.flatMap(({ evaluations }) => (evaluations ?? []).map(({ criterion }) => criterion)))];
}

/** An item as a card of at most 300 bytes: the description gives way first, then the address, then the name. */
export function toCard(item: WebsetItem, criteria: readonly string[]): ItemCard {
  const withVerdict = (verdict: "yes" | "unclear"): readonly number[] =>
    (item.evaluations ?? [])
      .filter(({ satisfied }) => satisfied === verdict)
      .map(({ criterion }) => criteria.indexOf(criterion))
      .filter((place) => place >= 0);
  const unclear = withVerdict("unclear");
  const whole: ItemCard = {
    id: item.id,
    name: cut(nameOf(item), MAX_NAME),
    url: item.properties.url,
    description: cut(item.properties.description ?? "", MAX_DESCRIPTION),
    met: withVerdict("yes"),
    ...(unclear.length > 0 && { unclear }),
  };
  const shorter = fitField(whole, "description");
  return fitField(fitField(shorter, "url"), "name");
}

/** An item with its answers. */
export function toAnswers(item: WebsetItem, criteria: readonly string[], names: EnrichmentNames): ItemAnswers {
  return {
    ...toCard(item, criteria),
    url: item.properties.url,
    description: item.properties.description ?? "",
    enrichments: (item.enrichments ?? []).map(({ enrichmentId, format, result }) => ({
      description: names.get(enrichmentId) ?? enrichmentId,
      format,
      result: result ?? null,
    })),
  };
}

/** An item as a workflow's result shows it. */
export function toWorkflowItem(item: WebsetItem, names: EnrichmentNames): WorkflowItem {
  return {
    id: item.id,
    url: item.properties.url,
    name: nameOf(item),
    description: item.properties.description ?? "",
    satisfied: (item.evaluations ?? [])
      .filter(({ satisfied }) => satisfied === "yes")
      .map(({ criterion }) => criterion),
    enrichmentResults: Object.fromEntries(
      (item.enrichments ?? []).flatMap(({ enrichmentId, result }) =>
        result === null || result === undefined ? [] : [[names.get(enrichmentId) ?? enrichmentId, result]],
      ),
    ),
  };
}

/** What an item is called: by its kind's own field, else by its description, else by its address. */
export function nameOf({ properties }: WebsetItem): string {
  for (const kind of ["company", "person", "article", "researchPaper", "custom"]) {
    const inner = namesSchema.safeParse(properties[kind]);
    const name = inner.success ? (inner.data.name ?? inner.data.title) : undefined;
    if (typeof name === "string" && name.trim() !== "") return name.trim();
  }
  const description = properties.description?.trim() ?? "";
  return description === "" ? properties.url : cut(description, MAX_NAME);
}

const namesSchema = z.looseObject({ name: z.string().nullish(), title: z.string().nullish() });

/** The card with that field cut until the whole fits, or the field is gone. */
function fitField(card: ItemCard, field: "description" | "url" | "name"): ItemCard {
  const over = bytesOf(card) - MAX_CARD_BYTES;
  if (over <= 0) return card;
  const text = card[field];
  for (let length = text.length - Math.ceil(over / 3); length > 0; length -= 4) {
    const shorter = { ...card, [field]: cut(text, length) };
    if (bytesOf(shorter) <= MAX_CARD_BYTES) return shorter;
  }
  return { ...card, [field]: "" };
}

function bytesOf(card: ItemCard): number {
  return Buffer.byteLength(JSON.stringify(card));
}

/** At most `length` characters, no half of a pair among them. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, Math.max(0, end)).trimEnd()}…`;
}
