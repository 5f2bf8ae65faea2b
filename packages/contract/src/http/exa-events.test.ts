import { describe, expect, it } from "vitest";
import { EXA_EVENT_TYPES, exaEvent, exaEventSchema, exaEventsQuerySchema } from "./exa-events.ts";

describe("Exa's events", () => {
  it("has the 19 types that exa-js names", () => {
    expect(EXA_EVENT_TYPES).toEqual([
      "webset.created",
      "webset.deleted",
      "webset.paused",
      "webset.idle",
      "webset.search.created",
      "webset.search.canceled",
      "webset.search.completed",
      "webset.search.updated",
      "import.created",
      "import.completed",
      "webset.item.created",
      "webset.item.enriched",
      "monitor.created",
      "monitor.updated",
      "monitor.deleted",
      "monitor.run.created",
      "monitor.run.completed",
      "webset.export.created",
      "webset.export.completed",
    ]);
  });

  it.each([
    ["webset.idle", { object: "webset", id: "webset_1" }, { kind: "webset", id: "webset_1" }],
    [
      "webset.item.created",
      { object: "webset_item", id: "witem_1", websetId: "webset_1" },
      { kind: "webset", id: "webset_1" },
    ],
    [
      "monitor.run.created",
      { object: "monitor_run", id: "run_1", monitorId: "monitor_1" },
      { kind: "monitor", id: "monitor_1" },
    ],
    ["import.completed", { object: "import", id: "import_1" }, { kind: "import", id: "import_1" }],
  ] as const)("orders %s with the resource it belongs to", (type, data, resource) => {
    expect(exaEvent("team_1", type, data as never)).toEqual({ teamId: "team_1", type, resource, data });
  });

  it("refuses the payload of another type, and one that is not whole", () => {
    const at = "2026-11-16T00:00:00.000Z";
    const event = { id: "event_1", object: "event", type: "monitor.run.created", createdAt: at };
    const run = {
      id: "monitor_run_1",
      object: "monitor_run",
      status: "created",
      monitorId: "monitor_1",
      type: "search",
      completedAt: null,
      failedAt: null,
      failedReason: null,
      canceledAt: null,
      canceledReason: null,
      createdAt: at,
      updatedAt: at,
    };
    expect(exaEventSchema.safeParse({ ...event, data: run }).success).toBe(true);
    expect(exaEventSchema.safeParse({ ...event, type: "monitor.created", data: run }).success).toBe(false);
    expect(exaEventSchema.safeParse({ ...event, data: { ...run, status: undefined } }).success).toBe(false);
  });

  it("names a type that it does not know", () => {
    expect(exaEventsQuerySchema.safeParse({ types: "webset.exploded" }).success).toBe(false);
    expect(exaEventsQuerySchema.parse({ types: ["webset.idle", "import.created"] }).types).toHaveLength(2);
  });
});
