import { createMonitorSchema, createWebsetSchema, createWebsetSearchSchema, type WebsetWire } from "@quarry/contract";
import {
  beginMonitor,
  cancelWebset,
  createWebset,
  createWebsetSearch,
  deleteItem,
  listItems,
  readWebset,
  removeWebset,
  type MonitorDeps,
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
export function websetsPort(deps: WebsetsDeps, monitors: MonitorDeps): WebsetsPort {
  return {
    create: async (teamId, wish, signal) => {
      signal.throwIfAborted();
      const { enrichments } = wish;
      const read = (search: object) =>
        createWebsetSchema.parse({ search, ...(enrichments !== undefined && { enrichments }) });
      const [first, ...more] = readWish(wish);
      const body = read(first);
      const { search: found } = body;
      const criteria = [body, ...more.map(read)].flatMap(({ search }) => search?.criteria ?? []);
      const whole = found === undefined || more.length === 0 ? body : { ...body, search: { ...found, criteria } };
      return (await createWebset(deps, { id: `webset_${idOf(wish)}`, teamId }, whole)).id;
    },
    addSearch: async (teamId, websetId, wish, signal) => {
      signal.throwIfAborted();
      const read = (search: object) => createWebsetSearchSchema.parse({ ...search, behavior: "append" });
      const [first, ...more] = readWish(wish);
      const one = read(first);
      const criteria = [one, ...more.map(read)].flatMap((part) => part.criteria ?? []);
      const body = more.length === 0 ? one : { ...one, criteria };
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
    keepFresh: async (teamId, websetId, { key, cron, timezone, count }, signal) => {
      signal.throwIfAborted();
      const body = createMonitorSchema.parse({
        websetId,
        cadence: { cron, ...(timezone !== undefined && { timezone }) },
        behavior: { type: "search", config: { count } },
      });
      return (await beginMonitor(monitors, body, { id: `monitor_${idOf({ key })}`, teamId })).id;
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

/** Exa's wire takes so many criteria a search; a workflow may have twice as many, which the engine judges alike. */
const WIRE_CRITERIA = 5;

/** The search as the wire has it, once for each handful of criteria: they differ in nothing else. */
function readWish({ query, count, entity, criteria }: WebsetWish): readonly [object, ...object[]] {
  const shared = { query, count, ...(entity !== undefined && { entity }) };
  if (criteria === undefined) return [shared];
  const rest = criteria.slice(WIRE_CRITERIA);
  return [
    { ...shared, criteria: criteria.slice(0, WIRE_CRITERIA) },
    ...(rest.length === 0 ? [] : [{ ...shared, criteria: rest }]),
  ];
}

function idOf({ key }: Pick<WebsetWish, "key">): string {
  return key.replace(/^(?:task|webset)_/, "").replace(/[^A-Za-z0-9]+/g, "-");
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
