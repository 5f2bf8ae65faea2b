import { openDatabase } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import config from "../vitest.config.ts";

verifies(
  ["store:external:database-url", "store:external:postgres-15", "store:suite:same-on-both"],
  "runs the store's tests on a separate PostgreSQL too",
  async (context) => {
    const address = process.env["TEST_DATABASE_URL"];
    if (address === undefined) {
      context.skip("set TEST_DATABASE_URL to a PostgreSQL 15 or newer where databases may be made");
      return;
    }
    const db = await openDatabase({ address });
    const [server] = await db.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    expect(server?.version).toBeGreaterThanOrEqual(150_000);
    await db.close();
    expect(config.test?.projects).toContainEqual(
      expect.objectContaining({
        test: {
          name: "database-server",
          include: ["packages/store/src/**/*.test.ts"],
          exclude: ["packages/store/src/embedded/**"],
          provide: { databaseServerUrl: address },
        },
      }),
    );
  },
);
