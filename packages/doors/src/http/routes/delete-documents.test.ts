import { createSnapshotStore, extractContent, ingestPages } from "@quarry/ingest";
import { createDirectoryBlobStore } from "@quarry/store";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { documentRoutes } from "./documents.ts";

/** Runs `work` with the document routes; `isOperator` says whether the caller's team runs the server. */
function withDocuments(work: (world: HttpWorld) => Promise<void>, isOperator = true): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-delete-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return withHttpApp(work, ({ db, teamId }) => {
    const snapshots = createSnapshotStore(createDirectoryBlobStore(directory));
    const routes = documentRoutes({
      db,
      clock: fakeClock(),
      operatorTeamId: isOperator ? teamId : "another",
      isIndexed: () => Promise.resolve(false),
      ingest: (pages, signal) => ingestPages({ database: db, snapshots, readPage: extractContent }, pages, { signal }),
    });
    return { routes };
  });
}

const page = (number: number) => ({
  url: `https://e.org/${number}`,
  text: `page ${"x".repeat(number)} of some length`,
});

it("deletes shared documents for the team that runs the server, and leaves its own alone", () =>
  withDocuments(async (world) => {
    await world.call("POST", "/quarry/v1/documents?shared=true", { body: [page(1), page(2)] });
    await world.call("POST", "/quarry/v1/documents", { body: [page(1)] });
    const gone = await world.call("DELETE", "/quarry/v1/documents?shared=true", { body: { urls: [page(1).url] } });
    expect(gone.json()).toEqual({ deleted: [page(1).url], notFound: [] });
    expect((await world.call("GET", `/quarry/v1/documents?url=${page(1).url}`)).statusCode).toBe(200);
    expect((await world.call("GET", `/quarry/v1/documents?url=${page(2).url}`)).statusCode).toBe(200);
  }));

it("deletes all that came one way, such as the sample", () =>
  withDocuments(async (world) => {
    await world.call("POST", "/quarry/v1/documents?shared=true", { body: [page(1), page(2)] });
    await world.db.query("UPDATE documents SET source = 'sample' WHERE url = $1", [page(2).url]);
    const gone = await world.call("DELETE", "/quarry/v1/documents?shared=true", { body: { source: "sample" } });
    expect(gone.json()).toEqual({ deleted: [page(2).url], notFound: [] });
    expect((await world.call("GET", `/quarry/v1/documents?url=${page(1).url}`)).statusCode).toBe(200);
    expect((await world.call("GET", `/quarry/v1/documents?url=${page(2).url}`)).statusCode).toBe(404);
  }));

it("deletes nothing shared for any other team", () =>
  withDocuments(async (world) => {
    const reply = await world.call("DELETE", "/quarry/v1/documents?shared=true", { body: { source: "sample" } });
    expect(reply.statusCode).toBe(403);
  }, false));

it.each([[{}], [{ urls: ["https://e.org/1"], source: "api" }], [{ source: "thin air" }], [{ urls: [] }]])(
  "refuses %j",
  (body) =>
    withDocuments(async (world) => {
      expect((await world.call("DELETE", "/quarry/v1/documents", { body })).statusCode).toBe(400);
    }),
);
