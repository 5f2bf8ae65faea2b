import { z } from "zod";
import { exportSchema, type ExportWire } from "./exports.ts";
import { importSchema, type ImportWire } from "./imports.ts";
import { monitorRunSchema, monitorSchema, type MonitorRunWire, type MonitorWire } from "./monitors.ts";
import { pagingQuery } from "./paging.ts";
import { instant, queryList, timestampSchema } from "./values.ts";
import { websetItemSchema, type WebsetItemWire } from "./webset-items.ts";
import { websetSchema, websetSearchSchema, type WebsetSearchWire, type WebsetWire } from "./webset-shapes.ts";

/** The resource of Exa's that each of its 19 event types carries as `data`, whole. */
const RESOURCE_OF = {
  "webset.created": "webset",
  "webset.deleted": "webset",
  "webset.paused": "webset",
  "webset.idle": "webset",
  "webset.search.created": "webset_search",
  "webset.search.canceled": "webset_search",
  "webset.search.completed": "webset_search",
  "webset.search.updated": "webset_search",
  "import.created": "import",
  "import.completed": "import",
  "webset.item.created": "webset_item",
  "webset.item.enriched": "webset_item",
  "monitor.created": "monitor",
  "monitor.updated": "monitor",
  "monitor.deleted": "monitor",
  "monitor.run.created": "monitor_run",
  "monitor.run.completed": "monitor_run",
  "webset.export.created": "export",
  "webset.export.completed": "export",
} as const satisfies Readonly<Record<string, ExaResourceKind>>;

/** One of Exa's 19 event types. */
export type ExaEventType = keyof typeof RESOURCE_OF;

/** The 19, in the order Exa lists them. */
export const EXA_EVENT_TYPES = Object.keys(RESOURCE_OF) as [ExaEventType, ...ExaEventType[]];

/** The `object` of what an event carries. */
export type ExaResourceKind = keyof typeof RESOURCE_SCHEMAS;

/** The whole resource of each kind, as its own routes show it. */
const RESOURCE_SCHEMAS = {
  webset: websetSchema,
  webset_search: websetSearchSchema,
  webset_item: websetItemSchema,
  import: importSchema,
  monitor: monitorSchema,
  monitor_run: monitorRunSchema,
  export: exportSchema,
} as const;

/** The shapes of the same. */
export interface ExaResources {
  readonly webset: WebsetWire;
  readonly webset_search: WebsetSearchWire;
  readonly webset_item: WebsetItemWire;
  readonly import: ImportWire;
  readonly monitor: MonitorWire;
  readonly monitor_run: MonitorRunWire;
  readonly export: ExportWire;
}

/** What an event of this type carries. */
export type ExaEventData<T extends ExaEventType> = ExaResources[(typeof RESOURCE_OF)[T]];

/** Any JSON value. */
export type EventJson = null | boolean | number | string | readonly EventJson[] | { readonly [key: string]: EventJson };

/** An event as the log takes it (`appendEvents` of the store). */
export interface NewExaEvent {
  readonly teamId: string;
  readonly type: ExaEventType;
  /** Events of one resource keep their order on every way out. */
  readonly resource: { readonly kind: "webset" | "import" | "monitor"; readonly id: string };
  readonly data: EventJson;
}

/**
 * Makes an event of Exa's, for the transaction of the change it tells of. `data` is the
 * whole resource as the wire shows it after the change. Everything below a webset is
 * ordered with the webset, a monitor's runs with their monitor.
 */
export function exaEvent<T extends ExaEventType>(teamId: string, type: T, data: ExaEventData<T>): NewExaEvent {
  // Wire shapes are JSON; their types do not say so where a part is free-form.
  return { teamId, type, resource: orderOf(data), data: data as EventJson };
}

function orderOf(data: ExaResources[ExaResourceKind]): NewExaEvent["resource"] {
  switch (data.object) {
    case "webset":
      return { kind: "webset", id: data.id };
    case "webset_search":
    case "webset_item":
    case "export":
      return { kind: "webset", id: data.websetId };
    case "import":
      return { kind: "import", id: data.id };
    case "monitor":
      return { kind: "monitor", id: data.id };
    case "monitor_run":
      return { kind: "monitor", id: data.monitorId };
  }
}

/** Types that a list without a filter leaves out: older exa-py fails on them. */
export const UNLISTED_EVENT_TYPES: readonly ExaEventType[] = ["webset.export.created", "webset.export.completed"];

const eventOf = <T extends ExaEventType>(type: T) =>
  z.object({
    id: z.string(),
    object: z.literal("event"),
    type: z.literal(type),
    data: RESOURCE_SCHEMAS[RESOURCE_OF[type]].describe("The whole resource as it was at that moment."),
    createdAt: timestampSchema,
  });

const [firstType, ...otherTypes] = EXA_EVENT_TYPES;

/** An event as `/websets/v0/events` and webhooks show it: one shape for each type. */
export const exaEventSchema = z
  .discriminatedUnion("type", [eventOf(firstType), ...otherTypes.map(eventOf)])
  .meta({ id: "ExaEvent" });

/** `GET /websets/v0/events`. */
export const exaEventsQuerySchema = z.object({
  ...pagingQuery({ max: 200, default: 25 }),
  types: queryList(z.enum(EXA_EVENT_TYPES))
    .optional()
    .describe("Only these types. Without it, all but webset.export.*."),
  createdAfter: instant().optional().describe("From this instant on."),
  createdBefore: instant().optional().describe("Up to and with this instant."),
});
