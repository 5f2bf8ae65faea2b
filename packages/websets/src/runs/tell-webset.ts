import { exaEvent } from "@quarry/contract";
import {
  appendEvents,
  type NewEvent,
  type Transaction,
  type Webset,
  type WebsetItem,
  type WebsetSearch,
} from "@quarry/store";
import { readWholeItems, showItem } from "./show-item.ts";
import { showSearch, showWebset } from "./show-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

type TellDeps = Pick<WebsetsDeps, "clock" | "dashboardUrl" | "readLiving">;

/** Writes an event of a webset, with the webset as it is now, in the transaction of the change. */
export async function tellWebset(
  deps: TellDeps,
  tx: Transaction,
  type: "webset.created" | "webset.deleted" | "webset.paused" | "webset.idle",
  webset: Webset,
): Promise<void> {
  const shown = await showWebset(deps, tx, webset);
  await append(deps, tx, [exaEvent(webset.teamId, type, shown)]);
}

/** Writes events of searches. */
export async function tellSearches(
  deps: TellDeps,
  tx: Transaction,
  type: "webset.search.created" | "webset.search.updated" | "webset.search.completed" | "webset.search.canceled",
  searches: readonly WebsetSearch[],
): Promise<void> {
  const now = deps.clock.now();
  await append(
    deps,
    tx,
    searches.map((search) => exaEvent(search.teamId, type, showSearch(search, now))),
  );
}

/** Writes events of items of one webset. The page's text stays out: the log is no second store of it. */
export async function tellItems(
  deps: TellDeps,
  tx: Transaction,
  type: "webset.item.created" | "webset.item.enriched",
  items: readonly WebsetItem[],
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const whole = await readWholeItems(tx, first.websetId, items);
  await append(
    deps,
    tx,
    whole.map((one) => exaEvent(one.item.teamId, type, showItem(one, null))),
  );
}

async function append(deps: TellDeps, tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await appendEvents(tx, events, deps.clock.now());
}
