import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { makeTinyWorkspace, type TinyWorkspace } from "./tiny-workspace.ts";

const repository = path.resolve(import.meta.dirname, "..", "..");

/** A workspace that breaks no rule, with one module in every place a violation is planted. */
const clean: Readonly<Record<string, string>> = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { module: "NodeNext", customConditions: ["source"] } }),
  "node_modules/pg/package.json": JSON.stringify({ name: "pg", main: "index.js" }),
  "node_modules/pg/index.js": "module.exports = {};",
  "packages/base/src/index.ts": 'export { clock } from "./clock.ts";\n',
  "packages/base/src/clock.ts": "export const clock = 0;\n",
  "packages/net/src/index.ts": 'export { clock as dial } from "@quarry/base";\n',
  "packages/contract/src/index.ts": "export interface Shape { readonly id: string }\n",
  "packages/store/src/index.ts": 'import "pg";\nexport const open = 1;\n',
  "packages/store/src/embedded/start.ts": 'import "node:child_process";\nexport const start = 1;\n',
  "packages/store/src/testing.ts": "export const withDatabase = 1;\n",
  "packages/store/src/open.test.ts": 'import { withDatabase } from "./testing.ts";\nwithDatabase;\n',
  "packages/crawl/src/index.ts":
    'import type { Shape } from "@quarry/contract";\nexport const id = (s: Shape) => s.id;\n',
  "packages/extract/src/index.ts": "export const extract = 1;\n",
  "packages/agent/src/index.ts": 'import "node:child_process";\nexport const agent = 1;\n',
  "packages/doors/src/index.ts": 'export { rest } from "./http/rest.ts";\n',
  "packages/doors/src/http/rest.ts": 'import { open } from "@quarry/store";\nexport const rest = open;\n',
  "packages/doors/src/mcp/serve.ts": "export const serve = 1;\n",
  "apps/server/src/main.ts": 'import "node:child_process";\nimport { rest } from "@quarry/doors";\nrest;\n',
  "apps/cli/src/main.ts": 'import { clock } from "@quarry/base";\nclock;\n',
  "tests/e2e/start.test.ts": 'import { rest } from "@quarry/doors";\nrest;\n',
};

/** Each file breaks the rules named beside it, and no other; a cycle is told once, by its first file. */
const planted: Readonly<Record<string, { readonly text: string; readonly rules: readonly string[] }>> = {
  "packages/crawl/src/sideways.ts": { text: 'import "@quarry/extract";\n', rules: ["layer-crawl"] },
  "packages/store/src/upward.ts": { text: 'import "@quarry/crawl";\n', rules: ["layer-store"] },
  "packages/net/src/upward-type.ts": {
    text: 'import type { rest } from "@quarry/doors";\nexport type Rest = typeof rest;\n',
    rules: ["layer-net"],
  },
  "packages/extract/src/ring-a.ts": { text: 'import "./ring-b.ts";\nexport const a = 1;\n', rules: ["no-cycles"] },
  "packages/extract/src/ring-b.ts": { text: 'import "./ring-a.ts";\nexport const b = 1;\n', rules: [] },
  "packages/extract/src/type-ring-a.ts": {
    text: 'import type { B } from "./type-ring-b.ts";\nexport interface A { readonly b?: B }\n',
    rules: ["no-cycles"],
  },
  "packages/extract/src/type-ring-b.ts": {
    text: 'import type { A } from "./type-ring-a.ts";\nexport interface B { readonly a?: A }\n',
    rules: [],
  },
  "packages/crawl/src/deep.ts": { text: 'import "../../base/src/clock.ts";\n', rules: ["one-door"] },
  "packages/crawl/src/deep-by-name.ts": { text: 'import "@quarry/base/src/clock.ts";\n', rules: ["one-door-by-name"] },
  "apps/cli/src/deep.ts": { text: 'import "../../../packages/base/src/clock.ts";\n', rules: ["one-door"] },
  "packages/doors/src/reach-app.ts": {
    text: 'import "../../../apps/server/src/main.ts";\n',
    rules: ["packages-below-apps"],
  },
  "apps/cli/src/reach-app.ts": { text: 'import "../../server/src/main.ts";\n', rules: ["apps-apart"] },
  "packages/doors/src/mcp/reach-door.ts": { text: 'import "../http/rest.ts";\n', rules: ["doors-apart"] },
  "packages/doors/src/sql.ts": { text: 'import "pg";\n', rules: ["pg-in-store-only"] },
  "apps/server/src/sql.ts": { text: 'import "pg";\n', rules: ["pg-in-store-only"] },
  "packages/crawl/src/spawn.ts": {
    text: 'import "node:child_process";\n',
    rules: ["child-process-where-it-belongs"],
  },
  "packages/store/src/spawn.ts": { text: 'import "child_process";\n', rules: ["child-process-where-it-belongs"] },
  "packages/store/src/reach-test.ts": { text: 'import "./open.test.ts";\n', rules: ["no-test-imports"] },
  "apps/server/src/reach-tests.ts": {
    text: 'import "../../../tests/e2e/start.test.ts";\n',
    rules: ["no-test-imports"],
  },
  "packages/store/src/reach-builder.ts": { text: 'import "./testing.ts";\n', rules: ["testing-is-for-tests"] },
  "apps/server/src/reach-unknown.ts": { text: 'import "@quarry/stranger";\n', rules: ["known-package"] },
  "packages/stranger/src/index.ts": { text: 'import "@quarry/base";\n', rules: ["known-package-inside"] },
};

interface CruiseReport {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

/** Runs the repository's own rules on `files`, the way `npm run lint:layers` does. */
function cruise(files: Readonly<Record<string, string>>): { readonly workspace: TinyWorkspace; report: CruiseReport } {
  const workspace = makeTinyWorkspace(files);
  const program = path.join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const rules = path.join(repository, "dependency-rules.cjs");
  const result = spawnSync(
    process.execPath,
    [program, "packages", "apps", "tests", "--config", rules, "--output-type", "json"],
    { cwd: workspace.root, encoding: "utf8", maxBuffer: 32 * 1024 * 1024 },
  );
  if (result.stdout === "") throw new Error(`dependency-cruiser said nothing: ${result.stderr}`);
  return { workspace, report: JSON.parse(result.stdout) as CruiseReport };
}

function rulesBrokenBy(report: CruiseReport, file: string): readonly string[] {
  const names = report.summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);
  return [...new Set(names)].sort();
}

const everyViolation = Object.fromEntries(Object.entries(planted).map(([file, { text }]) => [file, text]));

describe("dependency-rules.cjs", () => {
  let reportOfPlanted: CruiseReport;
  const workspaces: TinyWorkspace[] = [];

  beforeAll(() => {
    const { workspace, report } = cruise({ ...clean, ...everyViolation });
    workspaces.push(workspace);
    reportOfPlanted = report;
  });
  afterAll(() => {
    for (const workspace of workspaces) workspace.dispose();
  });

  verifies("workspace:layers:clean-passes", "passes a workspace without violations", () => {
    const { workspace, report } = cruise(clean);
    workspaces.push(workspace);
    expect(report.summary.violations).toEqual([]);
    expect(report.summary.totalCruised).toBeGreaterThan(15);
  });

  const breaks = (file: keyof typeof planted): void => {
    expect([file, rulesBrokenBy(reportOfPlanted, file)]).toEqual([file, planted[file]?.rules]);
  };

  verifies("workspace:layers:sideways-import", "refuses an import of the same layer", () => {
    breaks("packages/crawl/src/sideways.ts");
  });
  verifies("workspace:layers:upward-import", "refuses an import of a higher layer, types too", () => {
    breaks("packages/store/src/upward.ts");
    breaks("packages/net/src/upward-type.ts");
  });
  verifies("workspace:layers:cycle", "refuses a cycle", () => {
    breaks("packages/extract/src/ring-a.ts");
  });
  verifies("workspace:layers:type-only-cycle", "refuses a cycle of types", () => {
    breaks("packages/extract/src/type-ring-a.ts");
  });
  verifies("workspace:layers:deep-import", "refuses to enter a package past its index", () => {
    breaks("packages/crawl/src/deep.ts");
    breaks("packages/crawl/src/deep-by-name.ts");
    breaks("apps/cli/src/deep.ts");
  });
  verifies("workspace:layers:package-imports-app", "refuses a package that imports an app", () => {
    breaks("packages/doors/src/reach-app.ts");
  });
  verifies("workspace:layers:app-imports-app", "refuses an app that imports another", () => {
    breaks("apps/cli/src/reach-app.ts");
  });
  verifies("workspace:layers:door-imports-door", "refuses a door that imports another", () => {
    breaks("packages/doors/src/mcp/reach-door.ts");
  });
  verifies("workspace:layers:pg-outside-store", "refuses pg outside the store", () => {
    breaks("packages/doors/src/sql.ts");
    breaks("apps/server/src/sql.ts");
  });
  verifies("workspace:layers:child-process-outside-rooms", "refuses child processes outside their rooms", () => {
    breaks("packages/crawl/src/spawn.ts");
    breaks("packages/store/src/spawn.ts");
  });
  verifies("workspace:layers:code-imports-test", "refuses code that imports a test or its builders", () => {
    breaks("packages/store/src/reach-test.ts");
    breaks("apps/server/src/reach-tests.ts");
    breaks("packages/store/src/reach-builder.ts");
  });
  verifies("workspace:layers:unknown-package", "refuses a package that is not in the layer table", () => {
    breaks("apps/server/src/reach-unknown.ts");
    breaks("packages/stranger/src/index.ts");
  });
  verifies("workspace:layers:clean-passes", "blames no file but those planted", () => {
    const blamed = new Set(reportOfPlanted.summary.violations.map(({ from }) => from));
    const guilty = Object.entries(planted).flatMap(([file, { rules }]) => (rules.length === 0 ? [] : [file]));
    expect([...blamed].sort()).toEqual(guilty.sort());
  });
});
