import { createWebsetSchema, createWebsetSearchSchema, type WebsetWire } from "@quarry/contract";
import {
  cancelWebset,
  createWebset,
  createWebsetSearch,
  deleteItem,
  listItems,
  readWebset,
  removeWebset,
  type WebsetsDeps,
} from "@quarry/websets";
import {
  websetItemSchema,
  type WebsetItem,
  type WebsetsPort,
  type WebsetState,
  type WebsetWish,
} from "@quarry/workflows";

const ITEM_PAGE = 100;

/** Websets as workflows use them: made under ids that follow from the task's, so that a step done twice makes one. */
export function websetsPort(deps: WebsetsDeps): WebsetsPort {
  return {
    create: async (teamId, wish, signal) => {
      signal.throwIfAborted();
      const { search, enrichments } = readWish(wish);
      const body = createWebsetSchema.parse({ search, ...(enrichments !== undefined && { enrichments }) });
      return (await createWebset(deps, { id: `webset_${idOf(wish)}`, teamId }, body)).id;
    },
    addSearch: async (teamId, websetId, wish, signal) => {
      signal.throwIfAborted();
      const body = createWebsetSearchSchema.parse({ ...readWish(wish).search, behavior: "append" });
      await createWebsetSearch(deps, { teamId, webset: websetId }, { id: `wsearch_${idOf(wish)}`, teamId }, body);
    },
    get: async (teamId, websetId, signal) => {
      signal.throwIfAborted();
      return toState(await readWebset(deps, { teamId, webset: websetId }, { withItems: false }));
    },
    items: async (teamId, websetId, limit, signal) => {
      const items: WebsetItem[] = [];
      for (let cursor: string | undefined; items.length < limit;) {
        signal.throwIfAborted();
        const size = Math.min(ITEM_PAGE, limit - items.length);
        const page = await listItems(deps, { teamId, webset: websetId }, { limit: size, cursor });
        items.push(...page.data.map((item) => websetItemSchema.parse(item)));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      return items;
    },
    cancel: async (teamId, websetId) => {
      await cancelWebset(deps, { teamId, webset: websetId });
    },
    remove: async (teamId, websetId) => {
      await removeWebset(deps, { teamId, webset: websetId });
    },
    removeItem: async (teamId, websetId, itemId) => {
      await deleteItem(deps, { teamId, webset: websetId }, itemId);
    },
  };
}

function readWish({ query, count, entity, criteria, enrichments }: WebsetWish) {
  return {
    search: { query, count, ...(entity !== undefined && { entity }), ...(criteria !== undefined && { criteria }) },
    enrichments,
  };
}

function idOf({ key }: WebsetWish): string {
  return key.replace(/^task_/, "").replace(/[^A-Za-z0-9]+/g, "-");
}

function toState({ status, searches, enrichments }: WebsetWire): WebsetState {
  const sum = (read: (search: WebsetWire["searches"][number]) => number): number =>
    searches.reduce((total, search) => total + read(search), 0);
  const last = searches.at(-1);
  return {
    status,
    found: sum(({ progress }) => progress.found),
    analyzed: sum(({ progress }) => progress.analyzed),
    completion: searches.length === 0 ? 100 : sum(({ progress }) => progress.completion) / searches.length,
    criteria: (last?.criteria ?? []).map(({ description, successRate }) => ({ description, successRate })),
    enrichments: enrichments.map(({ id, description }) => ({ id, description })),
  };
}
