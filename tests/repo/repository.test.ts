import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { findMachineTraces } from "./find-machine-traces.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const files = repositoryFiles();
const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), "utf8");

/** Text large enough to be data rather than source is not searched. */
const MAX_SOURCE_BYTES = 1_000_000;

interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
  readonly scripts?: Readonly<Record<string, string>>;
}
const packageJsons = files
  .filter((file) => /^(?:(?:packages|apps)\/[^/]+\/|tests\/)?package\.json$/.test(file))
  .map((file) => ({ file, json: JSON.parse(read(file)) as PackageJson }));

describe("the repository", () => {
  verifies("docs:repository:no-machine-paths", "names no machine path and no package registry", () => {
    const searched = files.filter(
      (file) => !file.includes("/fixtures/") && statSync(path.join(repositoryRoot, file)).size < MAX_SOURCE_BYTES,
    );
    expect(searched.length).toBeGreaterThan(50);
    expect(searched.flatMap((file) => findMachineTraces(file, read(file)))).toEqual([]);
  });

  verifies(
    ["docs:repository:lock-without-addresses", "commands:install:lock-without-addresses"],
    "has a lock file that resolves nothing over http",
    () => {
      const lock = JSON.parse(read("package-lock.json")) as {
        readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
      };
      const entries = Object.entries(lock.packages);
      expect(entries.filter(([, { resolved }]) => /^[a-z+]+:/i.test(resolved ?? ""))).toEqual([]);
      const fromRegistry = entries.filter(
        ([place, { resolved }]) => place.includes("node_modules/") && resolved === undefined,
      );
      expect(fromRegistry.length).toBeGreaterThan(50);
      expect(fromRegistry.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
    },
  );

  verifies("docs:repository:npmrc-scripts-off", "keeps install scripts off", () => {
    expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prestart", "pretest"];
    const found = packageJsons.flatMap(({ file, json }) =>
      hooks.filter((hook) => json.scripts?.[hook] !== undefined).map((hook) => `${file}: ${hook}`),
    );
    expect(found).toEqual([]);
  });

  verifies("workspace:layout:private-packages", "is one private version throughout", () => {
    const [{ json: root } = { json: {} as PackageJson }] = packageJsons.filter(({ file }) => file === "package.json");
    const faults = packageJsons.flatMap(({ file, json }) => [
      ...(json.private === true ? [] : [`${file} is not private`]),
      ...(json.version === root.version ? [] : [`${file} has version ${String(json.version)}`]),
    ]);
    expect(faults).toEqual([]);
  });

  verifies("workspace:typescript:esm", "is made of ES modules", () => {
    expect(packageJsons.filter(({ json }) => json.type !== "module").map(({ file }) => file)).toEqual([]);
  });

  verifies("workspace:layout:source-condition", "opens every package at its source", () => {
    const packages = packageJsons.filter(({ file }) => file.startsWith("packages/"));
    expect(packages.length).toBeGreaterThan(5);
    expect(packages.filter(({ json }) => json.exports?.["."]?.source !== "./src/index.ts")).toEqual([]);
  });

  verifies("workspace:layout:packages-apps-tests", "has the rooms of the house style", () => {
    const rooms = ["packages/", "apps/server/", "apps/cli/", "tests/requirements/", "docs/decisions/", "tools/"];
    expect(rooms.filter((room) => !files.some((file) => file.startsWith(room)))).toEqual([]);
  });

  verifies("workspace:typescript:strict", "is checked under the strict settings", () => {
    const { compilerOptions } = JSON.parse(read("tsconfig.json")) as {
      readonly compilerOptions: Readonly<Record<string, unknown>>;
    };
    expect(compilerOptions).toMatchObject({
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noImplicitOverride: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
    });
  });

  verifies("commands:install:built-ins-only", "installs with nothing but Node's own modules", () => {
    const imports = read("tools/ensure-installed.mjs").matchAll(/^import .* from "([^"]+)"/gm);
    const specifiers = [...imports].map(([, specifier]) => specifier);
    expect(specifiers.length).toBeGreaterThan(0);
    expect(specifiers.filter((specifier) => specifier?.startsWith("node:") !== true)).toEqual([]);
  });

  verifies("commands:ci:runs-npm-test", "ends its CI with what npm test says, and fails where it fails", () => {
    const lines = read(".ci/run").trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("npm test"))).toEqual(['npm test | tee "$work/tests" || status=$?']);
    expect(lines.at(-1)).toBe('exit "$status"');
  });

  verifies("workspace:check:one-command", "checks format, lint, layers, types and tests with one command", () => {
    const scripts = packageJsons.find(({ file }) => file === "package.json")?.json.scripts ?? {};
    const expanded = (name: string): string =>
      (scripts[name] ?? name)
        .replaceAll(/npm run (?:--silent )?([\w:]+)/g, (_, inner: string) => expanded(inner))
        .replaceAll(/(?<=run-together\.mjs )[\w: ]+/g, (names) => names.split(" ").map(expanded).join(" "));
    for (const program of ["prettier --check", "eslint .", "depcruise", "tsc -p", "vitest run"]) {
      expect(expanded("check")).toContain(program);
    }
  });
});

describe("findMachineTraces", () => {
  it.each([
    ["a home directory", ["", "home", "someone", "quarry"].join("/")],
    ["a home directory", ["", "Users", "someone", "quarry"].join("/")],
    ["a machine path", ["", "work", "main"].join("/")],
    ["a machine path", ["", "root", ".quarry"].join("/")],
    ["a package registry", ["https://registry", "npmjs", "org/"].join(".")],
    ["a package mirror", ["https://artifactory", "corp", "internal/api"].join(".")],
  ])("finds %s", (what, text) => {
    expect(findMachineTraces("x.ts", `const a = 1;\nconst place = "${text}";\n`)).toEqual([`x.ts:2: ${what}`]);
  });

  it.each([
    "https://example.com/home/page/",
    "packages/work/main",
    "./root/x",
    "/usr/bin/env",
    "a registry of tools",
    "registry.all.map(toTool)",
  ])("passes %s", (text) => {
    expect(findMachineTraces("x.ts", text)).toEqual([]);
  });
});
