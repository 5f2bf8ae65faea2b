import {
  citeSnapshots,
  findKnownIdentities,
  insertWebsetItems,
  listWebsetEnrichments,
  openWebsetCells,
  type Json,
  type NewWebsetItem,
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
  return (await addItems(deps, tx, webset, [entering]))[0];
}

/** As `addItem`, for many: in a few statements however many there are, unless a cap of items must be watched. */
export async function addItems(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  entering: readonly EnteringEntity[],
): Promise<readonly WebsetItem[]> {
  const { items: cap } = webset.caps;
  if (cap === undefined) return enter(deps, tx, webset, entering);
  const added: WebsetItem[] = [];
  for (const one of entering) {
    if (webset.itemCount + added.length >= cap) break;
    added.push(...(await enter(deps, tx, webset, [one])));
  }
  return added;
}

async function enter(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  entering: readonly EnteringEntity[],
): Promise<readonly WebsetItem[]> {
  const now = deps.clock.now();
  const unknown = await leaveOutKnown(tx, webset, entering);
  const wanted = new Map(unknown.map((one) => [deps.newId("witem"), one]));
  const items = await insertWebsetItems(
    tx,
    webset.id,
    [...wanted].map(([id, one]) => toNewItem(webset, id, one)),
    now,
  );
  for (const item of items) {
    const references = wanted.get(item.id)?.evaluations.flatMap((evaluation) => evaluation.references) ?? [];
    await citeForItem(tx, item, references);
  }
  if (items.length === 0) return [];
  const enrichments = (await listWebsetEnrichments(tx, webset.id)).filter(({ canceledAt }) => canceledAt === null);
  const cells = await openWebsetCells(
    tx,
    {
      websetId: webset.id,
      enrichmentIds: enrichments.map(({ id }) => id),
      itemIds: items.map(({ id }) => id),
    },
    now,
  );
  await enqueueCells(tx, webset, cells);
  await tellItems(deps, tx, "webset.item.created", items);
  return items;
}

/** Leaves out what the webset, or the list itself, has already under any of its names: sources call one entity differently. */
async function leaveOutKnown(
  tx: Transaction,
  webset: Webset,
  entering: readonly EnteringEntity[],
): Promise<readonly EnteringEntity[]> {
  const named = entering.map((one) => ({ one, identities: identitiesOf(one.entity).filter(isOwn) }));
  const all = named.flatMap(({ identities }) => identities);
  const known = new Set(await findKnownIdentities(tx, [webset.id], all));
  const unknown: EnteringEntity[] = [];
  for (const { one, identities } of named) {
    if (identities.some((identity) => known.has(identity))) continue;
    for (const identity of identities) known.add(identity);
    unknown.push(one);
  }
  return unknown;
}

/** Others may bear the same name; key, site, address and number are an entity's own. */
function isOwn(identity: string): boolean {
  return !identity.startsWith("name:");
}

function toNewItem(webset: Webset, id: string, entering: EnteringEntity): NewWebsetItem {
  const main = entering.pages.find(({ url }) => url === entering.entity.pages[0]) ?? entering.pages[0];
  return {
    id,
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
  };
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
