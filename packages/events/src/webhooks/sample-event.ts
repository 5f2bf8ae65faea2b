import { makeId } from "@quarry/base";
import type { Json } from "@quarry/store";
import type { EventToSend } from "./attempt-delivery.ts";

/** An event of this type as a receiver might get it, with a made-up resource whose metadata says that it is a test. */
export function makeSampleEvent(type: string, now: Date): EventToSend {
  const at = now.toISOString();
  return { id: makeId("event", now), type, data: sampleOf(type, at), createdAt: now };
}

const METADATA = { test: "true" };
const WEBSET_ID = "webset_test";

function sampleOf(type: string, at: string): Json {
  const dates = { createdAt: at, updatedAt: at };
  if (type.startsWith("webset.search.")) return { ...SEARCH, ...dates };
  if (type.startsWith("webset.item.")) return { ...ITEM, ...dates };
  if (type.startsWith("webset.export.")) return { ...EXPORT, ...dates };
  if (type.startsWith("webset.")) return { ...WEBSET, ...dates };
  if (type.startsWith("import.")) return { ...IMPORT, ...dates };
  if (type.startsWith("monitor.run.")) return { ...MONITOR_RUN, ...dates };
  if (type.startsWith("monitor.")) return { ...MONITOR, ...dates };
  return { ...PAGE_MONITOR, ...dates };
}

const ENTITY = { type: "company" };

const WEBSET = {
  id: WEBSET_ID,
  object: "webset",
  status: "idle",
  externalId: null,
  title: "A test of your webhook",
  searches: [],
  imports: [],
  enrichments: [],
  monitors: [],
  excludes: [],
  metadata: METADATA,
  dashboardUrl: "https://example.com/",
};

const SEARCH = {
  id: "wsearch_test",
  object: "webset_search",
  websetId: WEBSET_ID,
  status: "completed",
  query: "a test of your webhook",
  entity: ENTITY,
  criteria: [],
  count: 1,
  behavior: "override",
  exclude: [],
  scope: [],
  maxPeoplePerCompany: null,
  metadata: METADATA,
  progress: { found: 1, analyzed: 1, completion: 100, timeLeft: null },
  recall: null,
  canceledAt: null,
  canceledReason: null,
};

const ITEM = {
  id: "witem_test",
  object: "webset_item",
  source: "search",
  sourceId: "wsearch_test",
  websetId: WEBSET_ID,
  properties: {
    type: "article",
    url: "https://example.com/",
    description: "A test of your webhook",
    content: null,
    article: { author: null, publishedAt: null, title: "A test of your webhook" },
  },
  evaluations: [],
  enrichments: [],
};

const EXPORT = {
  id: "export_test",
  object: "export",
  websetId: WEBSET_ID,
  format: "csv",
  status: "completed",
  downloadUrl: null,
  expiresAt: null,
  count: 1,
  failedMessage: null,
};

const IMPORT = {
  id: "import_test",
  object: "import",
  status: "completed",
  format: "csv",
  entity: ENTITY,
  title: "A test of your webhook",
  count: 1,
  metadata: METADATA,
  failedReason: null,
  failedAt: null,
  failedMessage: null,
};

const MONITOR = {
  id: "monitor_test",
  object: "monitor",
  status: "enabled",
  websetId: WEBSET_ID,
  cadence: { cron: "0 9 * * 1", timezone: "Etc/UTC" },
  behavior: { type: "search", config: { count: 1, behavior: "append" } },
  lastRun: null,
  nextRunAt: null,
  metadata: METADATA,
};

const MONITOR_RUN = {
  id: "monitor_run_test",
  object: "monitor_run",
  status: "completed",
  monitorId: "monitor_test",
  type: "search",
  completedAt: null,
  failedAt: null,
  failedReason: null,
  canceledAt: null,
  canceledReason: null,
};

const PAGE_MONITOR = {
  id: "page_monitor_test",
  object: "page_monitor",
  status: "enabled",
  url: "https://example.com/",
  metadata: METADATA,
};
