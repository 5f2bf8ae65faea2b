import type { CreateWebsetSearch, WebsetSearchWire } from "@quarry/contract";
import {
  getWebset,
  getWebsetSearch,
  moveWebsetSearchBy,
  setWebsetPriority,
  skipOpenCandidates,
  type Transaction,
  type Webset,
  type WebsetSearch,
} from "@quarry/store";
import { addSearch, resolveSearch, type Maker } from "./create-webset.ts";
import { startSearches, tellIfIdle } from "./settle-webset.ts";
import { showSearch } from "./show-webset.ts";
import { withWebset, type WebsetReferenceOf } from "./steer-webset.ts";
import { tellSearches } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Adds a search to a webset; it waits while another runs. A search without behavior overrides. */
export async function createWebsetSearch(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  maker: Maker,
  wish: CreateWebsetSearch,
): Promise<WebsetSearchWire> {
  const resolved = await resolveSearch(deps.database, maker.teamId, wish);
  return withWebset(deps, reference, async (tx, webset) => {
    const priority = maker.priority ?? webset.priority;
    await setWebsetPriority(tx, webset.id, priority);
    const search = await beginSearch(deps, tx, { ...webset, priority }, maker.id, resolved);
    return showSearch(search, deps.clock.now());
  });
}

/** As `createWebsetSearch`, in a transaction that holds the webset's lock; its sources are resolved. */
export async function beginSearch(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  id: string,
  wish: CreateWebsetSearch,
): Promise<WebsetSearch> {
  const behavior = wish.behavior ?? "override";
  const made = await addSearch(deps, tx, webset, { id, now: deps.clock.now() }, { ...wish, behavior });
  if (made !== undefined) await tellSearches(deps, tx, "webset.search.created", [made]);
  return made ?? getWebsetSearch(tx, webset.id, id);
}

/** One search of a webset. */
export async function getSearch(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
): Promise<WebsetSearchWire> {
  const webset = await getWebset(deps.database, reference.teamId, reference.webset);
  return showSearch(await getWebsetSearch(deps.database, webset.id, id), deps.clock.now());
}

/** Ends one search; its items stay. One that has ended stays as it is. */
export function cancelSearch(deps: WebsetsDeps, reference: WebsetReferenceOf, id: string): Promise<WebsetSearchWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const now = deps.clock.now();
    const search = await getWebsetSearch(tx, webset.id, id);
    const canceled = await moveWebsetSearchBy(tx, search.id, { move: "cancel", canceledReason: null, now });
    if (canceled === undefined) return showSearch(search, now);
    await skipOpenCandidates(tx, search.id);
    await tellSearches(deps, tx, "webset.search.canceled", [canceled]);
    await startSearches(deps, tx, webset);
    await tellIfIdle(deps, tx, webset);
    return showSearch(canceled, now);
  });
}
