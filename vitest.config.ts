import { defineConfig } from "vitest/config";

/** Test files that need PostgreSQL; the others must run without any server. */
const database = [
  "packages/store/src/**/*.test.ts",
  "packages/doors/src/**/*.test.ts",
  "apps/*/src/**/*.test.ts",
  "tests/**/*.test.ts",
];

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    reporters: ["default", "./tools/closing-line-reporter.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "rooms", include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"], exclude: database },
      },
      {
        extends: true,
        test: { name: "database", include: database, globalSetup: "./tools/test-database.ts" },
      },
    ],
  },
});
