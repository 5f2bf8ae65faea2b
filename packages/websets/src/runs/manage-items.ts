import { AppError } from "@quarry/base";
import type { CellAttempt, ItemAnswers, ItemCard, PastValueWire, WebsetItemWire } from "@quarry/contract";
import {
  archiveValue,
  deleteWebsetItem,
  findWebsetCell,
  getWebset,
  getWebsetEnrichment,
  getWebsetItem,
  isItemEnriched,
  listCellAttempts,
  listPastValues,
  listWebsetItems,
  overrideWebsetCell,
  updateWebsetItem,
  type HumanMark,
  type PastValue,
  type Queryable,
  type WebsetCell,
  type WebsetEvaluation,
  type WebsetItem,
} from "@quarry/store";
import type { Page } from "@quarry/base";
import { tellIfIdle } from "./settle-webset.ts";
import { readWholeItems, showAnswers, showCard, showItem, showItems, showReference } from "./show-item.ts";
import { withWebset, type WebsetReferenceOf } from "./steer-webset.ts";
import { tellItems } from "./tell-webset.ts";
import { subjectOf, valueOfVerdict } from "./verdict-history.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Which items of a list. */
export interface ItemPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sourceId?: string | undefined;
}

/** A webset's items as Exa's wire shows them, in the order in which they came. */
export async function listItems(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  page: ItemPage,
): Promise<Page<WebsetItemWire>> {
  const { id } = await getWebset(deps.database, reference.teamId, reference.webset);
  const items = await listWebsetItems(deps.database, id, page);
  return { ...items, data: await showItems(deps.database, id, items.data) };
}

/** How much of an item a list shows. */
export type ItemProjection = "card" | "answers" | "full";

/** A webset's items in one of our own sizes; the page's text is in none of them. */
export async function listProjectedItems(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  page: ItemPage & { readonly projection: ItemProjection },
): Promise<Page<ItemCard | ItemAnswers | WebsetItemWire>> {
  const { id } = await getWebset(deps.database, reference.teamId, reference.webset);
  const items = await listWebsetItems(deps.database, id, page);
  if (page.projection === "card") return { ...items, data: items.data.map((item) => showCard({ item })) };
  const whole = await readWholeItems(deps.database, id, items.data);
  const data = whole.map((one) => (page.projection === "answers" ? showAnswers(one) : showItem(one, undefined)));
  return { ...items, data };
}

/** One item, whole. */
export async function getItem(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  itemId: string,
): Promise<WebsetItemWire> {
  const { id } = await getWebset(deps.database, reference.teamId, reference.webset);
  return showOne(deps.database, await getWebsetItem(deps.database, id, itemId));
}

/** Removes an item, its cells ended; answers it as it last was. */
export function deleteItem(deps: WebsetsDeps, reference: WebsetReferenceOf, itemId: string): Promise<WebsetItemWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const item = await getWebsetItem(tx, webset.id, itemId);
    const last = await showOne(tx, item);
    const wasOpen = !(await isItemEnriched(tx, itemId));
    await deleteWebsetItem(tx, webset.id, itemId, deps.clock.now());
    if (wasOpen) await tellIfIdle(deps, tx, webset);
    const enrichments = last.enrichments.map((cell) =>
      cell.status === "pending" ? { ...cell, status: "canceled" as const } : cell,
    );
    return { ...last, enrichments };
  });
}

/** Who overrides a value. */
export interface Person {
  /** The key's id, or the team's for a browser session. */
  readonly by: string;
  readonly note: string | undefined;
}

/** Puts a person's verdict in place of the one there is; the old one stays in the history. */
export function overrideVerdict(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  itemId: string,
  wish: Person & { readonly criterion: string; readonly satisfied: WebsetEvaluation["satisfied"] },
): Promise<WebsetItemWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const now = deps.clock.now();
    const item = await getWebsetItem(tx, webset.id, itemId);
    const before = findEvaluation(item.evaluations, wish.criterion);
    await archiveValue(tx, { itemId, subject: subjectOf(wish.criterion) }, valueOfVerdict(item, before));
    const after: WebsetEvaluation = {
      criterion: wish.criterion,
      satisfied: wish.satisfied,
      reasoning: wish.note ?? "A person decided it.",
      references: before.satisfied === wish.satisfied ? before.references : [],
      human: mark(wish, now),
      ...(before.attempts !== undefined && { attempts: before.attempts }),
    };
    const evaluations = item.evaluations.map((one) => (one === before ? after : one));
    return showOne(tx, await updateWebsetItem(tx, itemId, { evaluations }, now));
  });
}

/** Puts a person's value into a cell; the old one stays in the history, and no run replaces the person's. */
export function overrideCell(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  place: { readonly itemId: string; readonly enrichmentId: string },
  wish: Person & { readonly result: readonly string[] | null },
): Promise<WebsetItemWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const now = deps.clock.now();
    const enrichment = await getWebsetEnrichment(tx, webset.id, place.enrichmentId);
    await getWebsetItem(tx, webset.id, place.itemId);
    requireLabels(enrichment.options, wish.result);
    const before = await findWebsetCell(tx, place.itemId, place.enrichmentId);
    if (before?.status === "completed") {
      await archiveValue(tx, { itemId: place.itemId, subject: place.enrichmentId }, valueOfCell(before));
    }
    const filling = {
      result: wish.result,
      reasoning: wish.note ?? "A person gave it.",
      references: [],
      human: mark(wish, now),
    };
    await overrideWebsetCell(tx, { websetId: webset.id, ...place }, filling, now);
    const item = await getWebsetItem(tx, webset.id, place.itemId);
    if (before?.status === "pending" && (await isItemEnriched(tx, item.id))) {
      await tellItems(deps, tx, "webset.item.enriched", [item]);
      await tellIfIdle(deps, tx, webset);
    }
    return showOne(tx, item);
  });
}

function requireLabels(options: readonly { readonly label: string }[] | null, result: readonly string[] | null): void {
  const labels = options?.map(({ label }) => label);
  const other = result?.find((value) => labels !== undefined && !labels.includes(value));
  if (other === undefined) return;
  throw new AppError("invalid_request", `result: "${other}" is none of the options ${labels?.join(", ") ?? ""}`, {
    details: { field: "result" },
  });
}

/** Every value that a verdict or a cell has had, the present one last. */
export async function readHistory(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  itemId: string,
  of: { readonly criterion?: string | undefined; readonly enrichmentId?: string | undefined },
): Promise<readonly PastValueWire[]> {
  const db = deps.database;
  const { id } = await getWebset(db, reference.teamId, reference.webset);
  const item = await getWebsetItem(db, id, itemId);
  const subject = of.enrichmentId ?? subjectOf(of.criterion ?? "");
  const past = await listPastValues(db, itemId, subject);
  const present = await presentValue(db, item, of);
  return [...past, ...(present === undefined ? [] : [present])].map((value) => ({
    ...value,
    value: value.value as PastValueWire["value"],
    references: value.references.map(showReference),
  }));
}

/** Every filling of a cell: how it went and what it took, oldest first. */
export async function readAttempts(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  place: { readonly itemId: string; readonly enrichmentId: string },
): Promise<readonly CellAttempt[]> {
  const { id } = await getWebset(deps.database, reference.teamId, reference.webset);
  await getWebsetItem(deps.database, id, place.itemId);
  await getWebsetEnrichment(deps.database, id, place.enrichmentId);
  return listCellAttempts(deps.database, place);
}

/** Every judging of an item by a criterion: how it went and what it took, oldest first. */
export async function readVerdictAttempts(
  deps: Pick<WebsetsDeps, "database">,
  reference: WebsetReferenceOf,
  itemId: string,
  criterion: string,
): Promise<readonly CellAttempt[]> {
  const { id } = await getWebset(deps.database, reference.teamId, reference.webset);
  const { evaluations } = await getWebsetItem(deps.database, id, itemId);
  return findEvaluation(evaluations, criterion).attempts ?? [];
}

async function presentValue(
  db: Queryable,
  item: WebsetItem,
  of: { readonly criterion?: string | undefined; readonly enrichmentId?: string | undefined },
): Promise<PastValue | undefined> {
  if (of.enrichmentId !== undefined) {
    const cell = await findWebsetCell(db, item.id, of.enrichmentId);
    return cell?.status === "completed" ? valueOfCell(cell) : undefined;
  }
  const evaluation = item.evaluations.find(({ criterion }) => criterion === of.criterion);
  return evaluation === undefined ? undefined : valueOfVerdict(item, evaluation);
}

function findEvaluation(evaluations: readonly WebsetEvaluation[], wanted: string): WebsetEvaluation {
  const found = evaluations.find(({ criterion }) => criterion === wanted);
  if (found !== undefined) return found;
  const known = evaluations.map(({ criterion }) => JSON.stringify(criterion)).join(", ");
  throw new AppError("invalid_request", `criterion: the item was not judged by it; it was by ${known || "none"}`, {
    details: { field: "criterion" },
  });
}

function mark({ by, note }: Person, now: Date): HumanMark {
  return { by, note: note ?? null, at: now.toISOString() };
}

function valueOfCell(cell: WebsetCell): PastValue {
  const { result, reasoning, references, human, updatedAt } = cell;
  const origin = human ?? { by: "quarry", note: null, at: updatedAt.toISOString() };
  return { value: result, reasoning, references, ...origin };
}

async function showOne(db: Queryable, item: WebsetItem): Promise<WebsetItemWire> {
  const [shown] = await showItems(db, item.websetId, [item]);
  if (shown === undefined) throw new Error("one item in, none out");
  return shown;
}
