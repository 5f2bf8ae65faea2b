import {
  citeSnapshots,
  insertWebsetItem,
  listWebsetEnrichments,
  openWebsetCells,
  type Json,
  type Transaction,
  type Webset,
  type WebsetEvaluation,
  type WebsetItem,
  type WebsetReference,
} from "@quarry/store";
import type { Entity } from "../entities/entity.ts";
import { groupOf, identitiesOf, withoutContent } from "./identities.ts";
import { enqueueCells } from "./jobs.ts";
import { tellItems } from "./tell-webset.ts";
import type { StoredPage, WebsetsDeps } from "./websets-deps.ts";

/** An entity that enters a webset. */
export interface EnteringEntity {
  readonly entity: Entity;
  readonly entityKey: string;
  readonly source: "search" | "import";
  readonly sourceId: string;
  readonly sourceEntityId: string | null;
  readonly scopeId: string | null;
  readonly evaluations: readonly WebsetEvaluation[];
  /** The pages it was judged by; the first shows as its content. */
  readonly pages: readonly StoredPage[];
}

/**
 * Makes an item of an entity, opens its cells, and tells of it: one transaction. Undefined when the webset has the entity
 * already or may have no more items. The caller holds the webset's lock.
 */
export async function addItem(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  entering: EnteringEntity,
): Promise<WebsetItem | undefined> {
  if (webset.caps.items !== undefined && webset.itemCount >= webset.caps.items) return undefined;
  const now = deps.clock.now();
  const main = entering.pages.find(({ url }) => url === entering.entity.pages[0]) ?? entering.pages[0];
  const item = await insertWebsetItem(
    tx,
    {
      id: deps.newId("witem"),
      websetId: webset.id,
      teamId: webset.teamId,
      entityKey: entering.entityKey,
      identities: identitiesOf(entering.entity),
      entity: withoutContent(entering.entity) as unknown as Json,
      groupKey: groupOf(entering.entity),
      source: entering.source,
      sourceId: entering.sourceId,
      sourceEntityId: entering.sourceEntityId,
      scopeId: entering.scopeId,
      contentSnapshotId: main?.snapshotId ?? null,
      contentExtractorVersion: main?.snapshotId === null ? null : (main?.extractorVersion ?? null),
      evaluations: entering.evaluations,
    },
    now,
  );
  if (item === undefined) return undefined;
  await citeForItem(
    tx,
    item,
    entering.evaluations.flatMap(({ references }) => references),
  );
  const enrichments = (await listWebsetEnrichments(tx, webset.id)).filter(({ canceledAt }) => canceledAt === null);
  const cells = await openWebsetCells(
    tx,
    { websetId: webset.id, enrichmentIds: enrichments.map(({ id }) => id), itemIds: [item.id] },
    now,
  );
  await enqueueCells(tx, webset, cells);
  await tellItems(deps, tx, "webset.item.created", [item]);
  return item;
}

/** Keeps the texts that an item quotes, and the one it shows, from being thrown away. */
export async function citeForItem(
  tx: Transaction,
  item: Pick<WebsetItem, "id" | "contentSnapshotId" | "contentExtractorVersion">,
  references: readonly WebsetReference[],
): Promise<void> {
  const shown = { snapshotId: item.contentSnapshotId, extractorVersion: item.contentExtractorVersion };
  const texts = [shown, ...references].flatMap(({ snapshotId, extractorVersion }) =>
    snapshotId === null || extractorVersion === null ? [] : [{ snapshotId, extractorVersion }],
  );
  await citeSnapshots(tx, { kind: "webset_item", id: item.id }, texts);
}
