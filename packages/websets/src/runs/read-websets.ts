import type { Page } from "@quarry/base";
import type { WebsetWire } from "@quarry/contract";
import { getWebset, listWebsetItems, listWebsets } from "@quarry/store";
import { showItems } from "./show-item.ts";
import { showWebset, showWebsets } from "./show-webset.ts";
import type { WebsetReferenceOf } from "./steer-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Items that `expand=items` embeds at most; the rest is read from their list. */
const MAX_EXPANDED_ITEMS = 1_000;

/** One webset, with its items when they are asked for. */
export async function readWebset(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  options: { readonly withItems: boolean },
): Promise<WebsetWire> {
  // One moment for all of it: a client that reads idle must find every item beside it.
  return deps.database.transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const webset = await getWebset(tx, reference.teamId, reference.webset);
    const shown = await showWebset(deps, tx, webset);
    if (!options.withItems) return shown;
    const { data } = await listWebsetItems(tx, webset.id, { limit: MAX_EXPANDED_ITEMS });
    return { ...shown, items: [...(await showItems(tx, webset.id, data))] };
  });
}

/** The team's websets, newest first. */
export async function readWebsets(
  deps: WebsetsDeps,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly search?: string | undefined },
): Promise<Page<WebsetWire>> {
  const found = await listWebsets(deps.database, teamId, page);
  return { ...found, data: await showWebsets(deps, deps.database, found.data) };
}
