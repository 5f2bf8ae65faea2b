import path from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { isAllowed, reachablePackages, type InstalledPackage } from "./dependency-licences.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

/** What a product may carry: all it asks is to keep the notice. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "PostgreSQL",
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
]);

/** Tools never leave the developer's machine, so files that must stay open are fine there too. */
const FOR_TOOLS = new Set([...PERMISSIVE, "CC-BY-3.0", "CC-BY-4.0", "MPL-2.0", "Python-2.0"]);

/** Packages that state their licence loosely; the text they carry was read and is this one. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  "duck@0.1.12": "BSD-2-Clause",
  "agnost@0.2.1": "MIT",
  "exa-mcp-server@3.4.1": "MIT",
  "humanize-number@0.0.2": "MIT",
  "khroma@2.1.0": "MIT",
  "only@0.0.2": "MIT",
};
const statedOrRead = ({ name, version, licence }: InstalledPackage): string =>
  READ_BY_HAND[`${name}@${version}`] ?? licence;

const workspaces = repositoryFiles()
  .filter((file) => /^(?:(?:packages|apps)\/[^/]+\/|tests\/)?package\.json$/.test(file))
  .map((file) => path.join(repositoryRoot, path.dirname(file)));

const isOurs = ({ name }: InstalledPackage): boolean => name.startsWith("@quarry/");
const toLine = ({ name, version, licence }: InstalledPackage): string =>
  `${name}@${version}: ${licence || "none stated"}`;

describe("the licences of what is installed", () => {
  verifies("docs:repository:licences", "let anyone run the product", () => {
    const packages = reachablePackages(workspaces, "dependencies").filter((installed) => !isOurs(installed));
    expect(packages.length).toBeGreaterThan(30);
    expect(packages.filter((installed) => !isAllowed(statedOrRead(installed), PERMISSIVE)).map(toLine)).toEqual([]);
  });

  it("let anyone work on it", () => {
    const packages = reachablePackages(workspaces, "devDependencies").filter((installed) => !isOurs(installed));
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((installed) => !isAllowed(statedOrRead(installed), FOR_TOOLS)).map(toLine)).toEqual([]);
  });
});

describe("isAllowed", () => {
  it.each(["MIT", "(MIT OR GPL-3.0-only)", "MIT AND ISC", "GPL-2.0-only OR (MIT AND Apache-2.0)"])(
    "takes %s",
    (text) => {
      expect(isAllowed(text, PERMISSIVE)).toBe(true);
    },
  );

  it.each([
    "",
    "GPL-3.0-only",
    "MIT AND GPL-3.0-only",
    "(AGPL-3.0-only OR SSPL-1.0)",
    "SEE LICENSE IN LICENSE",
    "UNLICENSED",
  ])("refuses %j", (text) => {
    expect(isAllowed(text, PERMISSIVE)).toBe(false);
  });
});
