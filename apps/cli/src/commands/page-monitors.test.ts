import { describe, expect, it } from "vitest";
import { announceServer, cliWorld, serveApi, type ApiAnswer, type SeenRequest } from "../testing.ts";

const monitor = {
  id: "page_monitor_1",
  object: "page_monitor",
  status: "enabled",
  url: "https://example.com/pricing",
  everyMinutes: 60,
  metadata: {},
  snapshotId: null,
  checks: 3,
  changes: 1,
  lastCheckedAt: "2030-01-01T00:00:00.000Z",
  lastChangedAt: "2030-01-01T00:00:00.000Z",
  error: null,
  nextCheckAt: "2030-01-01T01:00:00.000Z",
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:00.000Z",
};
const change = { fromSnapshotId: "a", toSnapshotId: "b", added: 1, removed: 1, diff: "-old\n+new\n", isDiffCut: false };
const event = {
  id: "event_1",
  object: "event",
  type: "page_monitor.changed",
  data: { ...monitor, change },
  createdAt: "2030-01-01T00:00:00.000Z",
};

async function pages(args: readonly string[], answer: (request: SeenRequest) => ApiAnswer) {
  const api = await serveApi(answer);
  const world = cliWorld();
  announceServer(world.dataDirectory, { url: api.url });
  const ran = await world.run("monitors", "pages", ...args);
  return { ...ran, seen: api.seen.map(({ method, url, body }) => ({ method, url, body })) };
}

describe("quarry monitors pages", () => {
  it("lists, watches, checks, shows changes and deletes", async () => {
    const list = (data: readonly unknown[]) => ({ body: { data, hasMore: false, nextCursor: null } });
    const listed = await pages([], () => list([monitor]));
    expect(listed).toMatchObject({ code: 0, seen: [{ url: "/quarry/v1/page-monitors?limit=200" }] });
    expect(listed.stdout).toMatch(/page_monitor_1\s+enabled\s+https:\/\/example.com\/pricing\s+60 min\s+1/);
    const watched = await pages(["watch", "https://example.com/pricing", "--every", "60"], () => ({
      status: 201,
      body: monitor,
    }));
    expect(watched).toMatchObject({
      code: 0,
      seen: [{ method: "POST", body: { url: "https://example.com/pricing", everyMinutes: 60 } }],
    });
    const changed = await pages(["changes", "page_monitor_1"], () => list([event]));
    expect(changed.stdout).toContain("-old\n+new");
    const checked = await pages(["check", "page_monitor_1"], () => ({ body: monitor }));
    expect(checked).toMatchObject({ code: 0, seen: [{ url: "/quarry/v1/page-monitors/page_monitor_1/check" }] });
    const removed = await pages(["rm", "page_monitor_1"], () => ({ body: monitor }));
    expect(removed).toMatchObject({
      code: 0,
      seen: [{ method: "DELETE", url: "/quarry/v1/page-monitors/page_monitor_1" }],
    });
    expect((await pages(["watch", "https://example.com", "--every", "1"], () => ({ body: monitor }))).code).toBe(2);
  });
});
