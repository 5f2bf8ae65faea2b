import { availableParallelism, tmpdir } from "node:os";
import { defineConfig } from "vitest/config";
import { scratchDirectory } from "./tools/scratch-directory.ts";

/** Test files that need PostgreSQL; the others must run without any server. */
const database = [
  "packages/store/src/**/*.test.ts",
  "packages/doors/src/**/*.test.ts",
  "packages/ingest/src/**/*.test.ts",
  "packages/agent/src/**/*.test.ts",
  "packages/answer/src/research/**/*.test.ts",
  "packages/events/src/**/*.test.ts",
  "packages/websets/src/{runs,imports,exports,monitors}/**/*.test.ts",
  "packages/workflows/src/runs/**/*.test.ts",
  "apps/*/src/**/*.test.ts",
  "tests/{conformance,e2e,relevance}/**/*.test.ts",
];

/** Tests that start, kill and talk to whole processes. */
const processes = ["tests/{conformance,e2e}/**/*.test.ts", "apps/*/src/**/*.e2e.test.ts"];

/** Everything else: the rooms, the tools, and what is checked of the repository itself. */
const rooms = ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts", "tests/{repo,requirements}/**/*.test.ts"];

/** A separately started PostgreSQL; the store's tests run on it as well (tools/database-server.test.ts says so when it is not set). */
const databaseServerUrl = process.env["TEST_DATABASE_URL"] === "" ? undefined : process.env["TEST_DATABASE_URL"];

// The tests, and the programs that they start, ask the system where to put what is temporary.
process.env["TEST_DISK_DIRECTORY"] ??= tmpdir(); // for what is measured beside a disk
process.env["TMPDIR"] = scratchDirectory();

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  environments: { __vitest__: { resolve: { conditions: ["source"] } } }, // where globalSetup files are loaded
  test: {
    reporters: ["default", "./tools/requirements-reporter.ts", "./tools/closing-line-reporter.ts"],
    // Many files wait for processes and locks most of their time: four at once keep even a small machine busy.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // On a shared machine a process may be starved past any limit: CI asks again before it calls that a failure.
    retry: process.env["CI"] === undefined ? 0 : 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // They share nothing but code, so that each file need not load it anew.
        test: { name: "rooms", include: rooms, exclude: database, isolate: false },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: database,
          exclude: processes,
          globalSetup: "./tools/test-database.ts",
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "processes", include: processes, globalSetup: "./tools/test-database.ts", isolate: false },
      },
      ...(databaseServerUrl === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "database-server",
                include: ["packages/store/src/**/*.test.ts"],
                exclude: ["packages/store/src/embedded/**"],
                provide: { databaseServerUrl },
              },
            },
          ]),
    ],
  },
});
