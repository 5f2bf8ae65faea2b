import { AppError } from "@quarry/base";

/** A notebook as its file has it; what we do not know stays as it is. */
export interface Notebook {
  readonly cells: readonly NotebookCell[];
  readonly [member: string]: unknown;
}

/** A cell; its text is one string or a list of lines, as Jupyter writes it. */
export interface NotebookCell {
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly [member: string]: unknown;
}

/** Reads a notebook. Throws `unprocessable` for a text that is none. */
export function parseNotebook(name: string, text: string): Notebook {
  let value: unknown;
  try {
    value = JSON.parse(text === "" ? "{}" : text);
  } catch (cause) {
    throw new AppError("unprocessable", `${name} is no notebook: it is not JSON`, { cause });
  }
  if (text === "") return emptyNotebook();
  if (!isNotebook(value)) throw new AppError("unprocessable", `${name} is no notebook: it has no list of cells`);
  return value;
}

/** The text of a notebook's file, indented as Jupyter does, or as the file was. */
export function formatNotebook(notebook: Notebook, before: string): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? " ";
  return `${JSON.stringify(notebook, undefined, indent)}\n`;
}

/** The text of one cell, from 0. Throws `invalid_request` for a number there is no cell for. */
export function cellText(notebook: Notebook, index: number): string {
  const cell = notebook.cells[index];
  if (cell === undefined) {
    const count = notebook.cells.length;
    const fix = count === 0 ? "it has no cells; set isNewCell" : `its cells are 0 to ${count - 1}`;
    throw new AppError("invalid_request", `notebookCellIdx: there is no cell ${index}; ${fix}`);
  }
  return typeof cell.source === "string" ? cell.source : cell.source.join("");
}

/** A notebook with another text in one cell. A cell of code loses the output that the old text had. */
export function withCellText(
  notebook: Notebook,
  index: number,
  change: { readonly text: string; readonly language?: string | undefined },
): Notebook {
  const cells = notebook.cells.map((cell, at) => {
    if (at !== index) return cell;
    const source = toSource(change.text);
    const typed = change.language === undefined ? cell : { ...cell, ...typeOf(change.language, cell) };
    return typed.cell_type === "code"
      ? { ...typed, source, outputs: [], execution_count: null }
      : { ...withoutOutput(typed), source };
  });
  return { ...notebook, cells };
}

/** A notebook with a new cell in front of the one at `index`, or at its end. */
export function withNewCell(
  notebook: Notebook,
  index: number,
  cell: { readonly text: string; readonly language: string | undefined; readonly id: string },
): Notebook {
  if (index < 0 || index > notebook.cells.length) {
    const count = notebook.cells.length;
    throw new AppError("invalid_request", `notebookCellIdx: a new cell can go to 0 to ${count}, not ${index}`);
  }
  const type = typeOf(cell.language ?? "", undefined);
  const made: NotebookCell = {
    ...type,
    ...(hasCellIds(notebook) ? { id: cell.id } : {}),
    metadata: type.metadata ?? {},
    source: toSource(cell.text),
    ...(type.cell_type === "code" ? { outputs: [], execution_count: null } : {}),
  };
  return { ...notebook, cells: [...notebook.cells.slice(0, index), made, ...notebook.cells.slice(index)] };
}

function typeOf(
  language: string,
  cell: NotebookCell | undefined,
): { readonly cell_type: string; readonly metadata?: Readonly<Record<string, unknown>> } {
  if (language === "markdown") return { cell_type: "markdown" };
  if (language === "raw") return { cell_type: "raw" };
  if (language === "" || language === "python") return { cell_type: "code" };
  // Editors keep the language of a cell that differs from the kernel's here.
  const metadata = cell?.["metadata"];
  const kept = typeof metadata === "object" && metadata !== null ? metadata : {};
  return { cell_type: "code", metadata: { ...kept, vscode: { languageId: language } } };
}

/** Only cells of code have output. */
function withoutOutput(cell: NotebookCell): NotebookCell {
  const kept = Object.entries(cell).filter(([name]) => name !== "outputs" && name !== "execution_count");
  return { ...Object.fromEntries(kept), cell_type: cell.cell_type, source: cell.source };
}

function toSource(text: string): readonly string[] {
  return text === "" ? [] : text.replaceAll("\r\n", "\n").split(/(?<=\n)/);
}

/** Since format 4.5 every cell has an id. */
function hasCellIds(notebook: Notebook): boolean {
  const [major, minor] = [notebook["nbformat"], notebook["nbformat_minor"]];
  return typeof major === "number" && typeof minor === "number" && (major > 4 || (major === 4 && minor >= 5));
}

function emptyNotebook(): Notebook {
  return { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

function isNotebook(value: unknown): value is Notebook {
  if (typeof value !== "object" || value === null || !("cells" in value) || !Array.isArray(value.cells)) return false;
  return value.cells.every(
    (cell: unknown) =>
      typeof cell === "object" &&
      cell !== null &&
      "cell_type" in cell &&
      "source" in cell &&
      (typeof cell.source === "string" || Array.isArray(cell.source)),
  );
}
