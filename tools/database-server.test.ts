import { it } from "vitest";

// vitest.config.ts adds the project "database-server", all of the store's tests, when the variable is set.
it.runIf(process.env["TEST_DATABASE_URL"] === undefined)(
  "runs the store's tests on a separate PostgreSQL too",
  (context) => context.skip("set TEST_DATABASE_URL to a PostgreSQL 15 or newer where databases may be made"),
);
