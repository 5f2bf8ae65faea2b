import { qualifiedName, type CodeSymbol } from "./code-symbol.ts";

/** A piece of a file that is found as one. Lines count from 1, both ends are in it. */
export interface CodeChunk {
  readonly startLine: number;
  readonly endLine: number;
  /** What it is about: the symbols that begin in it or go around it. */
  readonly header: string;
}

/** A chunk grows by whole symbols up to this. */
const CHUNK_LINES = 60;
/** A symbol of so many lines is a chunk of its own: neighbours would blur it. */
const ALONE_LINES = 12;
const MAX_HEADER_NAMES = 12;

/** Lines that belong to the symbol below them. */
const LEADING = /^\s*(\/\/|\/\*|\*|#(?!include|define|!)|@|--|"""|''')/;

/** Cuts a file into pieces of about 60 lines, at its symbols where it has some, else at empty lines. */
export function chunkCode(lines: readonly string[], symbols: readonly CodeSymbol[]): readonly CodeChunk[] {
  const outer = withoutInner(symbols);
  const starts = new Set([1]);
  for (const { startLine, endLine } of outer) {
    starts.add(leadOf(lines, startLine));
    if (endLine < lines.length) starts.add(endLine + 1);
  }
  const cuts = [...starts].filter((line) => line <= lines.length).sort((a, b) => a - b);
  const pieces = cuts.flatMap((start, index) => splitLong(lines, start, (cuts[index + 1] ?? lines.length + 1) - 1));
  const alone = new Set(outer.filter(isAlone).map(({ startLine }) => leadOf(lines, startLine)));
  const chunks: { startLine: number; endLine: number }[] = [];
  for (const piece of pieces) {
    const last = chunks.at(-1);
    const joins =
      last !== undefined &&
      piece.endLine - last.startLine < CHUNK_LINES &&
      !alone.has(piece.startLine) &&
      !alone.has(last.startLine);
    if (joins) last.endLine = piece.endLine;
    else chunks.push({ ...piece });
  }
  return chunks
    .filter(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).some((line) => /[\p{L}\p{N}]/u.test(line)))
    .map((chunk) => ({ ...chunk, header: headerOf(chunk, symbols) }));
}

/** A symbol that fits a chunk is not cut at the symbols in it. */
function withoutInner(symbols: readonly CodeSymbol[]): readonly CodeSymbol[] {
  let coveredUntil = 0;
  return symbols.filter((symbol) => {
    if (symbol.endLine <= coveredUntil) return false;
    if (lengthOf(symbol) <= CHUNK_LINES) coveredUntil = symbol.endLine;
    return true;
  });
}

function isAlone(symbol: CodeSymbol): boolean {
  return lengthOf(symbol) >= ALONE_LINES && lengthOf(symbol) <= CHUNK_LINES;
}

function lengthOf({ startLine, endLine }: CodeSymbol): number {
  return endLine - startLine + 1;
}

/** Where a symbol begins with the comment and the decorators above it. */
function leadOf(lines: readonly string[], startLine: number): number {
  let at = startLine;
  while (at > 1 && LEADING.test(lines[at - 2] ?? "")) at -= 1;
  return at;
}

/** Cuts what is too long at the empty line that is nearest to a full chunk. */
function splitLong(
  lines: readonly string[],
  startLine: number,
  endLine: number,
): readonly { readonly startLine: number; readonly endLine: number }[] {
  if (endLine < startLine) return [];
  if (endLine - startLine < CHUNK_LINES * 1.5) return [{ startLine, endLine }];
  let cut = startLine + CHUNK_LINES - 1;
  for (let at = cut; at > startLine + CHUNK_LINES / 2; at -= 1) {
    if ((lines[at - 1] ?? "").trim() !== "") continue;
    cut = at;
    break;
  }
  return [{ startLine, endLine: cut }, ...splitLong(lines, cut + 1, endLine)];
}

function headerOf(
  chunk: { readonly startLine: number; readonly endLine: number },
  symbols: readonly CodeSymbol[],
): string {
  const begins = symbols.filter(({ nameLine }) => nameLine >= chunk.startLine && nameLine <= chunk.endLine);
  const named = begins.length > 0 ? begins : symbols.filter((symbol) => isAround(symbol, chunk)).slice(-1);
  return named
    .slice(0, MAX_HEADER_NAMES)
    .map((symbol) => `${symbol.kind} ${qualifiedName(symbol)}`)
    .join(", ");
}

function isAround(symbol: CodeSymbol, chunk: { readonly startLine: number; readonly endLine: number }): boolean {
  return symbol.startLine <= chunk.startLine && symbol.endLine >= chunk.endLine;
}
