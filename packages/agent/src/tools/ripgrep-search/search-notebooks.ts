import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { listFiles } from "../../workspace/list-files.ts";
import { bare, parseRipgrep, textIn } from "../../workspace/ripgrep-json.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { toResults } from "./search-matches.ts";
import { contextArgs, patternArgs, type NotebookPart, type SearchQuery } from "./search-query.ts";

/** The most notebooks that are taken apart for one search, and the largest of them. */
const MAX_NOTEBOOKS = 500;
const MAX_NOTEBOOK_BYTES = 20 * 1024 * 1024;

/** One piece of text of a notebook. */
interface Piece {
  readonly part: NotebookPart;
  readonly cell: number;
  readonly text: string;
}

/**
 * Searches the wanted parts of the notebooks below a root: each part is laid out
 * as a text of its own, so that ripgrep sees what a person sees and not the file's JSON.
 */
export async function searchNotebooks(
  deps: Pick<WorkspaceDeps, "ripgrep" | "protectedPaths">,
  asked: { readonly root: string; readonly query: SearchQuery; readonly parts: ReadonlySet<NotebookPart> },
  onResult: (file: string, results: readonly JsonObject[]) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { root, query, parts } = asked;
  if (parts.size === 0) return;
  const { files } = await listFiles(deps, { root, below: "", globs: ["*.ipynb"] }, signal);
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-notebooks-"));
  try {
    const places = new Map<string, { readonly file: string; readonly piece: Piece }>();
    for (const file of files.slice(0, MAX_NOTEBOOKS)) {
      for (const piece of await readPieces(path.join(root, file))) {
        if (!parts.has(piece.part)) continue;
        const name = String(places.size);
        places.set(name, { file, piece });
        await writeFile(path.join(directory, name), piece.text);
      }
    }
    if (places.size === 0) return;
    const args = ["--json", "--no-ignore", ...contextArgs(query), ...patternArgs(query), "--", "."];
    await deps.ripgrep(
      { cwd: directory, args },
      (line) => {
        const message = parseRipgrep(line);
        if (message.type !== "match" && message.type !== "context") return true;
        const found = message.data.path === undefined ? undefined : places.get(bare(textIn(message.data.path)));
        if (found === undefined) return true;
        const { part, cell } = found.piece;
        const place = {
          uri: pathToFileURL(path.join(root, found.file)).href,
          cellFragment: `cell-${cell}`,
          // What is rendered, not what was typed.
          ...(part === "output" || part === "markup-preview" ? { webviewIndex: cell } : {}),
        };
        return onResult(found.file, toResults(message, place, query.preview));
      },
      signal,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readPieces(absolute: string): Promise<readonly Piece[]> {
  const { size } = await stat(absolute);
  if (size > MAX_NOTEBOOK_BYTES) return [];
  try {
    const notebook = JSON.parse(await readFile(absolute, "utf8")) as { readonly cells?: unknown };
    const cells = Array.isArray(notebook.cells) ? (notebook.cells as readonly Cell[]) : [];
    return cells.flatMap(piecesOf);
  } catch {
    return []; // no notebook after all: it has no cells
  }
}

interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

function piecesOf(cell: Cell, index: number): readonly Piece[] {
  const source = joined(cell.source);
  if (cell.cell_type === "markdown") {
    return [
      { part: "markup-input", cell: index, text: source },
      { part: "markup-preview", cell: index, text: renderedText(source) },
    ];
  }
  const outputs = Array.isArray(cell.outputs) ? (cell.outputs as readonly Readonly<Record<string, unknown>>[]) : [];
  const texts = outputs.map((output) => {
    const data = output["data"] as Readonly<Record<string, unknown>> | undefined;
    return joined(output["text"]) || joined(data?.["text/plain"]) || joined(output["traceback"]);
  });
  return [
    { part: "code-input", cell: index, text: source },
    { part: "output", cell: index, text: texts.filter((text) => text !== "").join("\n") },
  ];
}

/** A notebook keeps texts as one string or as a list of lines. */
function joined(text: unknown): string {
  if (typeof text === "string") return text;
  return Array.isArray(text) ? text.filter((line) => typeof line === "string").join("") : "";
}

/** Markdown without its signs, near enough to what a person reads to be searched. */
function renderedText(markdown: string): string {
  return (
    markdown
      // a part ends where the next may begin, and emphasis is short: a million of unclosed ones take no longer than others
      .replace(/!?\[([^[\]]*)\]\([^)[]*\)/g, "$1")
      .replace(/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+\.\s+)/gm, "")
      .replace(/(\*\*|__|\*|_|`|~~)(?=\S)([^]{0,300}?\S)\1/g, "$2")
  );
}
