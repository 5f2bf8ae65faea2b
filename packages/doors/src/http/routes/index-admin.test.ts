import { beginIndexTask, finishIndexTask } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { indexAdminRoutes } from "./index-admin.ts";

const WHOLE = {
  format: "1.1",
  model: "test",
  pages: 7,
  chunks: 9,
  unindexedPages: 7,
  unindexedChunks: 9,
  pageTables: 1,
  diskBytes: 4_096,
  cacheBytes: 10,
};

function withIndex(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(work, ({ db, teamId }) => ({
    routes: indexAdminRoutes({
      db,
      clock: fakeClock(),
      operatorTeamId: teamId,
      searchIndexStats: () => Promise.resolve({ ...WHOLE, languages: [] }),
    }),
  }));
}

verifies("index:api:stats", "shows documents, passages, languages, disk and what waits", () =>
  withIndex(async ({ call }) => {
    expect((await call("GET", "/quarry/v1/index")).json()).toEqual({
      documents: 0,
      sharedDocuments: 0,
      words: 0,
      duplicates: 0,
      lastChangedAt: null,
      languages: [],
      hosts: [],
      hostCount: 0,
      snapshots: { count: 0, bytes: 0 },
      outbox: 0,
      passages: 0,
      vectorOutbox: 0,
      searchIndex: WHOLE,
    });
  }),
);

it.each(["optimize", "verify", "rebuild"])("takes the order to %s, and tells how it goes", (kind) =>
  withIndex(async ({ call, db }) => {
    const ordered = (await call("POST", `/quarry/v1/index/${kind}`)).json<{ id: string }>();
    expect(ordered).toMatchObject({ kind, status: "queued", report: null, error: null, finishedAt: null });
    const task = await beginIndexTask(db);
    expect(task).toMatchObject({ id: ordered.id, kind, state: "running" });
    await finishIndexTask(db, ordered.id, { report: { differences: 3 } });
    const done = await call("GET", `/quarry/v1/index/tasks/${ordered.id}`);
    expect(done.json()).toMatchObject({ status: "done", report: { differences: 3 } });
    expect(await beginIndexTask(db)).toBeUndefined();
  }),
);

it("begins a task anew whose process died over it, and says why one failed", () =>
  withIndex(async ({ call, db }) => {
    const { id } = (await call("POST", "/quarry/v1/index/verify")).json<{ id: string }>();
    await beginIndexTask(db);
    expect(await beginIndexTask(db)).toMatchObject({ id });
    await finishIndexTask(db, id, { error: "the disk is full" });
    expect((await call("GET", `/quarry/v1/index/tasks/${id}`)).json()).toMatchObject({
      status: "failed",
      error: "the disk is full",
    });
    expect((await call("GET", "/quarry/v1/index/tasks/none")).statusCode).toBe(404);
  }));

it("lets only the team that runs the server look after the index", () =>
  withIndex(async ({ call, makeKey, makeTeam }) => {
    const { secret } = await makeKey({ teamId: await makeTeam() });
    expect((await call("POST", "/quarry/v1/index/rebuild", { key: secret })).statusCode).toBe(403);
    expect((await call("GET", "/quarry/v1/index", { key: secret })).json()).toMatchObject({ searchIndex: null });
  }));
