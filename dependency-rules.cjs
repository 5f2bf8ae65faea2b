/**
 * The layer table of the workspace. A package may import lower layers only;
 * nothing else in the repository repeats this table.
 */
const LAYERS = {
  base: 0,
  net: 1,
  contract: 1,
  config: 1,
  store: 2,
  models: 2,
  crawl: 3,
  extract: 3,
  retrieval: 3,
  events: 3,
  ingest: 4,
  search: 5,
  answer: 6,
  websets: 7,
  agent: 7,
  workflows: 8,
  doors: 9,
};

const layerRules = Object.entries(LAYERS).flatMap(([name, layer]) => {
  const barred = Object.keys(LAYERS).filter((other) => other !== name && LAYERS[other] >= layer);
  if (barred.length === 0) return []; // the top layer; an empty pattern would bar everything
  return [
    {
      name: `layer-${name}`,
      severity: "error",
      comment: `${name} may import lower layers only: move the type to contract, or take a function in deps`,
      from: { path: `^packages/${name}/` },
      to: { path: `^packages/(${barred.join("|")})/` },
    },
  ];
});

const KNOWN_PACKAGES = `^packages/(${Object.keys(LAYERS).join("|")})/`;

/** Test files and the builders they share; they may reach what product code may not. */
const TEST_FILES = "(\\.test\\.ts$|/testing\\.ts$|^tests/)";

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: "known-package",
      severity: "error",
      comment: "a new package needs a line in the layer table above, and a decision record",
      from: {},
      to: { path: "^packages/", pathNot: KNOWN_PACKAGES },
    },
    {
      name: "known-package-inside",
      severity: "error",
      comment: "a package outside the layer table has no layer to import from: give it a line above",
      from: { path: "^packages/", pathNot: KNOWN_PACKAGES },
      to: {},
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "data goes one way; types count too",
      from: {},
      to: { circular: true },
    },
    {
      name: "one-door",
      severity: "error",
      comment: "enter a package by its src/index.ts (tests also by src/testing.ts)",
      from: { path: "^(packages|apps|tests)/([^/]+)/" },
      to: { path: "^packages/([^/]+)/", pathNot: ["^packages/$2/", "^packages/[^/]+/src/(index|testing)\\.ts$"] },
    },
    {
      name: "one-door-by-name",
      severity: "error",
      comment: "a package's exports list its doors: @quarry/name, and @quarry/name/testing for tests",
      from: {},
      to: { path: "^@quarry/", couldNotResolve: true },
    },
    {
      name: "testing-is-for-tests",
      severity: "error",
      comment: "src/testing.ts holds builders for tests, soaks and benches",
      from: { pathNot: [TEST_FILES, "^tools/"] },
      to: { path: "^packages/[^/]+/src/testing\\.ts$" },
    },
    {
      name: "packages-below-apps",
      severity: "error",
      comment: "packages know nothing of the programs that wire them",
      from: { path: "^packages/" },
      to: { path: "^apps/" },
    },
    {
      name: "apps-apart",
      severity: "error",
      comment: "one app never imports another: they meet over HTTP",
      from: { path: "^apps/([^/]+)/" },
      to: { path: "^apps/([^/]+)/", pathNot: "^apps/$1/" },
    },
    {
      name: "doors-apart",
      severity: "error",
      comment: "http, rpc and mcp share through the rooms below, never with each other",
      from: { path: "^packages/doors/src/(http|rpc|mcp)/" },
      to: { path: "^packages/doors/src/(http|rpc|mcp)/", pathNot: "^packages/doors/src/$1/" },
    },
    {
      name: "pg-in-store-only",
      severity: "error",
      comment: "SQL lives in store/",
      from: { pathNot: ["^packages/store/", "^tools/", TEST_FILES] },
      to: { path: "node_modules/(@types/)?pg/" },
    },
    {
      name: "child-process-where-it-belongs",
      severity: "error",
      comment: "only agent/, apps/ and tools/ start programs; store/ may for the embedded database (decision 0002)",
      from: { path: "^packages/", pathNot: ["^packages/agent/", "^packages/store/src/embedded/", TEST_FILES] },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "no-test-imports",
      severity: "error",
      comment: "code never imports a test file",
      from: { pathNot: TEST_FILES },
      to: { path: "\\.test\\.ts$|^tests/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/|/fixtures/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["source", "import", "require", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json"],
    },
  },
};
