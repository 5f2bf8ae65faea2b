import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** One installed package and the licence it states. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, or "" when it states none. */
  readonly licence: string;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Every installed package that the manifests in `directories` reach, by
 * following installed dependencies the way Node resolves them. `kind` chooses
 * where to start: what the product runs on, or what it is made with.
 * Throws when a dependency that is not optional is not installed.
 */
export function reachablePackages(
  directories: readonly string[],
  kind: "dependencies" | "devDependencies",
): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const visit = (directory: string, from: "dependencies" | "devDependencies"): void => {
    const manifest = readManifest(directory);
    const optional = manifest.optionalDependencies ?? {};
    const wanted = {
      ...manifest[from],
      ...(from === "dependencies" ? { ...optional, ...manifest.peerDependencies } : {}),
    };
    for (const name of Object.keys(wanted)) {
      const home = findInstalled(directory, name);
      if (home === undefined) {
        const mustBeThere = name in (manifest[from] ?? {}) && !(name in optional);
        if (mustBeThere) throw new Error(`${name}, which ${directory} needs, is not installed`);
        continue;
      }
      if (found.has(home)) continue;
      const { name: ownName = name, version = "", ...rest } = readManifest(home);
      found.set(home, { name: ownName, version, licence: licenceOf(rest) });
      visit(home, "dependencies");
    }
  };
  for (const directory of directories) visit(directory, kind);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether an SPDX expression can be satisfied with `allowed` alone: one side of OR, both sides of AND. */
export function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const text = expression.trim();
  if (text.startsWith("(") && closingOf(text) === text.length - 1) return isAllowed(text.slice(1, -1), allowed);
  const or = splitOutside(text, " OR ");
  if (or.length > 1) return or.some((part) => isAllowed(part, allowed));
  const and = splitOutside(text, " AND ");
  if (and.length > 1) return and.every((part) => isAllowed(part, allowed));
  return allowed.has(text);
}

function splitOutside(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    else if (text[index] === ")") depth -= 1;
    else if (depth === 0 && text.startsWith(separator, index)) {
      parts.push(text.slice(start, index));
      start = index + separator.length;
    }
  }
  return [...parts, text.slice(start)];
}

function closingOf(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === "string") return license;
  const types = license === undefined ? licenses : [license];
  return types?.map(({ type = "" }) => type).join(" OR ") ?? "";
}

function findInstalled(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = path.dirname(directory)) {
    const home = path.join(directory, "node_modules", name);
    if (existsSync(path.join(home, "package.json"))) return home;
    if (path.dirname(directory) === directory) return undefined;
  }
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8")) as Manifest;
}
