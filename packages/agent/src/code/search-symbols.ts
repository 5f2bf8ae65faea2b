import path from "node:path";
import { Fzf } from "fzf";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { qualifiedName, type CodeSymbol } from "./code-symbol.ts";
import { isWithin, toRelative } from "../workspace/resolve-path.ts";

/** A symbol that a query found. */
export interface FoundSymbol {
  readonly symbol: CodeSymbol;
  readonly absolute: string;
  /** Where it stands: its container and its file. */
  readonly secondaryText: string;
  /** The parts of the name and of the secondary text that matched; ends are not in them. */
  readonly nameMatches: readonly MatchedPart[];
  readonly secondaryMatches: readonly MatchedPart[];
  readonly score: number;
}

/** A part of a text, by UTF-16 units from 0. */
export interface MatchedPart {
  readonly start: number;
  readonly end: number;
}

/** How much a word that only matches the container or the path counts. */
const SECONDARY_SCORE = 10;
/** How many symbols a warm language service is asked for. */
const SERVICE_SYMBOLS = 100;

/**
 * Finds symbols whose names match fuzzily, best first. Of several words each must match the name, or stand in the
 * container or the path; one at least matches the name. `Money.add` means the same as `Money add`.
 */
export async function searchSymbols(
  deps: Pick<WorkspaceDeps, "code">,
  root: string,
  asked: { readonly query: string; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly FoundSymbol[]> {
  const terms = asked.query.split(/[\s.#/]+|::|->/).filter((term) => term !== "");
  const symbols = await listSymbols(deps, root, terms.at(-1) ?? "", signal);
  const names = [...new Set(symbols.map(({ name }) => name))];
  const finder = new Fzf(names, { casing: "smart-case", fuzzy: "v2" });
  const byTerm = terms.map((term) => new Map(finder.find(term).map((found) => [found.item, found])));
  return symbols
    .flatMap((symbol) => {
      const secondaryText = secondaryOf(symbol);
      let [score, isNamed] = [0, false];
      const positions = new Set<number>();
      const secondaryMatches: MatchedPart[] = [];
      for (const [at, term] of terms.entries()) {
        const inName = byTerm[at]?.get(symbol.name);
        const place = secondaryText.toLowerCase().indexOf(term.toLowerCase());
        if (place >= 0) secondaryMatches.push({ start: place, end: place + term.length });
        if (inName !== undefined) {
          isNamed = true;
          score += inName.score;
          for (const position of inName.positions) positions.add(position);
        } else if (place >= 0) score += SECONDARY_SCORE;
        else return [];
      }
      if (!isNamed) return [];
      const absolute = path.join(root, symbol.relative);
      return [{ symbol, absolute, secondaryText, nameMatches: toParts(positions), secondaryMatches, score }];
    })
    .sort((a, b) => b.score - a.score || a.symbol.name.length - b.symbol.name.length || compare(a, b))
    .slice(0, asked.limit);
}

interface PlacedSymbol extends CodeSymbol {
  readonly relative: string;
}

/** The symbols of the index, and those that a language service knows which runs already: it sees into functions and types. */
async function listSymbols(
  deps: Pick<WorkspaceDeps, "code">,
  root: string,
  term: string,
  signal: AbortSignal,
): Promise<readonly PlacedSymbol[]> {
  const { index } = await deps.code.indexes.open(root, signal);
  const symbols: PlacedSymbol[] = [...index.symbols()];
  const { typescript } = deps.code;
  if (!typescript.isWarm() || term === "") return symbols;
  const more = await typescript.run({ kind: "symbols", root, query: term, limit: SERVICE_SYMBOLS }, signal);
  const known = new Set(symbols.map(({ relative, nameLine, name }) => `${relative}:${nameLine}:${name}`));
  for (const { absolute, ...place } of more) {
    if (!isWithin(root, absolute)) continue;
    const relative = toRelative(root, absolute);
    // What is not indexed is kept from tools, or no part of the workspace.
    if (index.has(relative) && !known.has(`${relative}:${place.nameLine}:${place.name}`)) {
      symbols.push({ ...place, relative });
    }
  }
  return symbols;
}

function secondaryOf(symbol: PlacedSymbol): string {
  return symbol.container === "" ? symbol.relative : `${symbol.container} · ${symbol.relative}`;
}

function toParts(positions: ReadonlySet<number>): readonly MatchedPart[] {
  const parts: { start: number; end: number }[] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last?.end === position) last.end = position + 1;
    else parts.push({ start: position, end: position + 1 });
  }
  return parts;
}

function compare(a: FoundSymbol, b: FoundSymbol): number {
  const [one, other] = [a, b].map(({ symbol, absolute }) => `${absolute}:${qualifiedName(symbol)}`);
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
