// Vitest's global set-up of the tests that need PostgreSQL: one server for all of them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedPostgres } from "@quarry/store";
import type { TestProject } from "vitest/node";
import type {} from "@quarry/store/testing";

/** Starts an embedded PostgreSQL in a temporary directory and hands its URL to the tests; the result stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-test-"));
  try {
    // Tests throw their databases away, so nothing needs to reach the disk.
    const server = await startEmbeddedPostgres({
      dataDirectory: directory,
      settings: {
        fsync: "off",
        full_page_writes: "off",
        synchronous_commit: "off",
        autovacuum: "off",
        max_connections: "300",
      },
    });
    const { host, port, user } = server.address;
    project.provide(
      "databaseServerUrl",
      `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(host)}`,
    );
    return async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
