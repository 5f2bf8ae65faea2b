import { readFile } from "node:fs/promises";
import { AppError, editDistance } from "@quarry/base";
import { isWithin, toRelative, type WorkspacePath } from "../workspace/resolve-path.ts";
import { decodeText, linesOf } from "../workspace/text-file.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import type { CodePlace } from "./code-place.ts";
import { qualifiedName, type CodeSymbol } from "./code-symbol.ts";
import { languageOf } from "./languages.ts";
import { readSymbols } from "./read-symbols.ts";

/** A definition as it is shown. */
export interface Definition {
  /** The root it lies in, and where. */
  readonly root: string;
  readonly relative: string;
  readonly qualifiedName: string;
  readonly kind: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Its lines, cut when they are many. */
  readonly lines: readonly string[];
}

/** A name in a file, to be followed. */
export interface UsedSymbol {
  readonly place: WorkspacePath;
  readonly text: string;
  readonly symbol: string;
  /** From 1, both ends are in it. */
  readonly startLine: number;
  readonly endLine: number;
}

type Deps = Pick<WorkspaceDeps, "code" | "protectedPaths">;

/** The most places of the name that are followed, and the most definitions that are shown. */
const MAX_USES = 10;
const MAX_DEFINITIONS = 20;
const MAX_LINES = 60;
const NEAREST = 5;

/**
 * Follows a name to its definitions: TypeScript, JavaScript and Python by their language services, other languages
 * by the names in the index; so too when a service finds nothing in the workspace. Throws `not_found` with the nearest symbols.
 */
export async function findDefinitions(
  deps: Deps,
  roots: readonly string[],
  used: UsedSymbol,
  signal: AbortSignal,
): Promise<readonly Definition[]> {
  const uses = findUses(used);
  if (uses.length === 0) {
    const names = (await readSymbols(used.place.relative, used.text))?.map(({ name }) => name) ?? [];
    const identifiers = rangeOf(used).flatMap((line) => line.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
    throw new AppError(
      "not_found",
      `${used.symbol} is not in lines ${used.startLine} to ${used.endLine} of ${used.place.relative}${nearest(used.symbol, [...identifiers, ...names])}`,
    );
  }
  const places = await askService(deps, used, uses, signal);
  const shown = (await Promise.all(places.map((place) => show(deps, roots, place)))).flat();
  if (shown.length > 0) return distinct(shown);
  // A file that a person let this one call reach has no workspace around it.
  if (used.place.relative === "") throw new AppError("not_found", `${used.symbol} is defined outside the workspace`);
  const { index } = await deps.code.indexes.open(used.place.root, signal);
  const name = lastPart(used.symbol);
  // The index lists files as the disk gave them: which are shown, and in what order, must not depend on that.
  const named = [...index.symbols()]
    .filter((symbol) => symbol.name === name)
    .sort((a, b) => a.relative.localeCompare(b.relative) || a.startLine - b.startLine);
  const found = await Promise.all(
    named.slice(0, MAX_DEFINITIONS).map((symbol) => showSymbol(used.place.root, symbol.relative, symbol)),
  );
  if (found.length > 0) return distinct(found.flat());
  const [outside] = places;
  if (outside !== undefined) {
    throw new AppError(
      "not_found",
      `${used.symbol} is defined outside the workspace, in ${baseName(outside.absolute)}`,
    );
  }
  const all = [...index.symbols()].map((symbol) => symbol.name);
  throw new AppError("not_found", `there is no definition of ${used.symbol} in the workspace${nearest(name, all)}`);
}

/** Where the name stands in the lines; of `a.b` the last part, where the whole stands. */
function findUses({
  symbol,
  text,
  startLine,
  endLine,
}: UsedSymbol): readonly { line: number; column: number; offset: number }[] {
  const word = symbol.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_$])${word}(?![\\p{L}\\p{N}_$])`, "gu");
  const shift = symbol.length - lastPart(symbol).length;
  const uses: { line: number; column: number; offset: number }[] = [];
  let offset = 0;
  for (const [at, line] of text.split(/(?<=\r\n|\n|\r(?!\n))/).entries()) {
    if (at + 1 >= startLine && at + 1 <= endLine) {
      for (const { index } of line.matchAll(pattern)) {
        uses.push({ line: at + 1, column: index + shift + 1, offset: offset + index + shift });
      }
    }
    offset += line.length;
  }
  return uses.slice(0, MAX_USES);
}

async function askService(
  deps: Deps,
  { place, text }: UsedSymbol,
  uses: readonly { readonly line: number; readonly column: number; readonly offset: number }[],
  signal: AbortSignal,
): Promise<readonly CodePlace[]> {
  const { absolute, root } = place;
  switch (languageOf(place.relative)) {
    case "typescript":
    case "tsx":
    case "javascript": {
      const offsets = uses.map(({ offset }) => offset);
      return deps.code.typescript.run({ kind: "definitions", root, file: absolute, offsets }, signal);
    }
    case "python": {
      const found = await deps.code.python.definitions(root, { absolute, text }, uses, signal);
      return found.map(({ absolute: file, line, column }) => ({
        absolute: file,
        name: "",
        container: "",
        kind: "",
        startLine: line,
        endLine: line,
        nameLine: line,
        nameColumn: column,
      }));
    }
    default:
      return [];
  }
}

/** A definition that a service named, if tools may see its file; the grammar says how far it goes. */
async function show(deps: Deps, roots: readonly string[], found: CodePlace): Promise<readonly Definition[]> {
  const root = roots.find((each) => isWithin(each, found.absolute));
  if (root === undefined) return [];
  const relative = toRelative(root, found.absolute);
  if (await deps.protectedPaths.isHidden(root, relative)) return [];
  const text = decodeText(await readFile(found.absolute))?.text ?? "";
  const symbols = (await readSymbols(relative, text)) ?? [];
  const same = symbols.find(
    ({ nameLine, nameColumn }) => nameLine === found.nameLine && nameColumn === found.nameColumn,
  );
  const lines = linesOf(text);
  const whole = { startLine: same?.startLine ?? found.startLine, endLine: same?.endLine ?? found.endLine };
  const [word = ""] = /^[\p{L}\p{N}_$]+/u.exec((lines[found.nameLine - 1] ?? "").slice(found.nameColumn - 1)) ?? [];
  return [
    {
      root,
      relative,
      qualifiedName: same === undefined ? qualifiedName({ ...found, name: found.name || word }) : qualifiedName(same),
      kind: same?.kind ?? (found.kind || "variable"),
      ...whole,
      lines: lines.slice(whole.startLine - 1, Math.min(whole.endLine, whole.startLine + MAX_LINES - 1)),
    },
  ];
}

async function showSymbol(root: string, relative: string, symbol: CodeSymbol): Promise<readonly Definition[]> {
  const bytes = await readFile(`${root}/${relative}`).catch(() => undefined); // gone since it was indexed
  if (bytes === undefined) return [];
  const { startLine, endLine, kind } = symbol;
  const lines = linesOf(decodeText(bytes)?.text ?? "").slice(
    startLine - 1,
    Math.min(endLine, startLine + MAX_LINES - 1),
  );
  return [{ root, relative, qualifiedName: qualifiedName(symbol), kind, startLine, endLine, lines }];
}

function distinct(definitions: readonly Definition[]): readonly Definition[] {
  const byPlace = new Map(
    definitions.map((one) => [`${one.root}/${one.relative}:${one.startLine}-${one.endLine}`, one]),
  );
  return [...byPlace.values()].slice(0, MAX_DEFINITIONS);
}

function nearest(wanted: string, names: readonly string[]): string {
  const close = [...new Set(names)]
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 2))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, NEAREST)
    .map(({ name }) => name);
  return close.length === 0 ? "" : `; the nearest symbols are ${close.join(", ")}`;
}

function rangeOf({ text, startLine, endLine }: UsedSymbol): readonly string[] {
  return linesOf(text).slice(startLine - 1, endLine);
}

function lastPart(symbol: string): string {
  return symbol.split(/\.|::|->/).at(-1) ?? symbol;
}

function baseName(absolute: string): string {
  return absolute.split(/[\\/]/).at(-1) ?? absolute;
}
