import type { ItemAnswers, ItemCard, WebsetItemWire } from "@quarry/contract";
import {
  listWebsetCells,
  listWebsetEnrichments,
  readItemContents,
  type Queryable,
  type WebsetCell,
  type WebsetEnrichment,
  type WebsetItem,
  type WebsetReference,
} from "@quarry/store";
import type { Entity } from "../entities/entity.ts";

/** An item with all that is shown of it. */
export interface WholeItem {
  readonly item: WebsetItem;
  readonly enrichments: readonly WebsetEnrichment[];
  readonly cells: readonly WebsetCell[];
}

/** Items of one webset with their cells: two statements. */
export async function readWholeItems(
  db: Queryable,
  websetId: string,
  items: readonly WebsetItem[],
): Promise<readonly WholeItem[]> {
  const enrichments = await listWebsetEnrichments(db, websetId);
  const cells =
    enrichments.length === 0
      ? []
      : await listWebsetCells(
          db,
          items.map(({ id }) => id),
        );
  const byItem = new Map(items.map(({ id }) => [id, [] as WebsetCell[]]));
  for (const cell of cells) byItem.get(cell.itemId)?.push(cell);
  return items.map((item) => ({ item, enrichments, cells: byItem.get(item.id) ?? [] }));
}

/** Items of one webset as Exa's wire shows them, page text included where the kind has one. */
export async function showItems(
  db: Queryable,
  websetId: string,
  items: readonly WebsetItem[],
): Promise<readonly WebsetItemWire[]> {
  const whole = await readWholeItems(db, websetId, items);
  const contents = await readItemContents(
    db,
    items.map(({ id }) => id),
  );
  return whole.map((one) => showItem(one, contents.get(one.item.id) ?? null));
}

/** An item as the wire shows it. `content` undefined leaves the page's text out, null says that there is none. */
export function showItem({ item, enrichments, cells }: WholeItem, content: string | null | undefined): WebsetItemWire {
  return {
    id: item.id,
    object: "webset_item",
    source: item.source,
    sourceId: item.sourceId,
    ...(item.sourceEntityId !== null && { sourceEntityId: item.sourceEntityId }),
    ...(item.scopeId !== null && { scopeId: item.scopeId }),
    websetId: item.websetId,
    properties: { ...showProperties(entityOfItem(item), content), url: addressOf(item) },
    evaluations: item.evaluations.map(({ criterion, satisfied, reasoning, references, human }) => ({
      criterion,
      satisfied,
      reasoning,
      references: references.map(showReference),
      ...(human !== undefined && { quarry: { human: { ...human } } }),
    })),
    enrichments: enrichments.flatMap((enrichment): WebsetItemWire["enrichments"] => {
      const cell = cells.find(({ enrichmentId }) => enrichmentId === enrichment.id);
      if (cell === undefined) return [];
      return [
        {
          object: "enrichment_result",
          enrichmentId: enrichment.id,
          status: cell.status,
          format: enrichment.format,
          result: cell.result === null ? null : [...cell.result],
          reasoning: cell.reasoning,
          references: cell.references.map(showReference),
          ...(cell.human !== null && { quarry: { human: { ...cell.human } } }),
        },
      ];
    }),
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
  };
}

/** The entity an item is; rows are ours. */
export function entityOfItem(item: Pick<WebsetItem, "entity">): Entity {
  return item.entity as unknown as Entity;
}

/** An item's address, which clients take only as a URL: what no page is known of has a name in its place, which leads nowhere. */
function addressOf(item: Pick<WebsetItem, "id" | "entity">): string {
  const { url } = entityOfItem(item).properties;
  return url === "" ? `urn:quarry:${item.id}` : url;
}

/** Properties with the page's text, without it, or with the word that there is none. */
export function showProperties(entity: Entity, content: string | null | undefined): WebsetItemWire["properties"] {
  const { properties } = entity;
  const shown = { ...properties } as WebsetItemWire["properties"];
  if (shown.type === "person") return shown;
  if (content === undefined) delete shown.content;
  else shown.content = content;
  return shown;
}

/** A quote as the wire shows it: Exa's three fields, and where it stands. */
export function showReference(reference: WebsetReference): WebsetItemWire["evaluations"][number]["references"][number] {
  const { url, title, snippet, snapshotId, start, end } = reference;
  return { url, title, snippet, quarry: { snapshotId, start, end } };
}

/** An item's business card: exactly the keys of the first tier. */
export function showCard({ item }: Pick<WholeItem, "item">): ItemCard {
  const { name, properties } = entityOfItem(item);
  return {
    id: item.id,
    url: addressOf(item),
    name,
    description: properties.description,
    evaluations: item.evaluations.map(({ criterion, satisfied }) => ({ criterion, satisfied })),
  };
}

/** An item with its answers: exactly the keys of the second tier. */
export function showAnswers(whole: WholeItem): ItemAnswers {
  return {
    ...showCard(whole),
    enrichments: whole.enrichments.flatMap(({ id, description, format }): ItemAnswers["enrichments"] => {
      const cell = whole.cells.find(({ enrichmentId }) => enrichmentId === id);
      return cell === undefined
        ? []
        : [{ description, format, result: cell.result === null ? null : [...cell.result] }];
    }),
  };
}
