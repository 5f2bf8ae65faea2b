import type { JsonObject } from "@bufbuild/protobuf";
import { textIn, type RipgrepMessage } from "../../workspace/ripgrep-json.ts";
import type { PreviewOptions } from "./search-query.ts";

/** Where a match begins and ends: lines and UTF-16 columns, both from 0. */
interface Range {
  readonly startLineNumber: number;
  readonly startColumn: number;
  readonly endLineNumber: number;
  readonly endColumn: number;
}

/** What is added to each result, such as the cell of a notebook. */
export interface ResultPlace {
  readonly uri: string;
  readonly cellFragment?: string;
  readonly webviewIndex?: number;
}

/** What ripgrep says of one place as `ITextSearchResult`s: one for a match, one per line of context. */
export function toResults(message: RipgrepMessage, place: ResultPlace, preview: PreviewOptions): readonly JsonObject[] {
  const { lines, line_number: line, submatches = [] } = message.data;
  if (lines === undefined) return [];
  const text = textIn(lines).replace(/\r?\n$/, "");
  const first = line ?? 1;
  if (message.type === "context") {
    // Editors count these lines from 1, unlike ranges.
    return text
      .split(/\r?\n/)
      .map((each, index) => ({ context: { uri: place.uri, text: each, lineNumber: first + index } }));
  }
  const bytes = Buffer.from(text, "utf8");
  const ranges = submatches.map(({ start, end }) => rangeOf(bytes, start, end));
  const [firstRange] = ranges;
  const window = cutPreview(text, firstRange?.startColumn ?? 0, preview);
  return [
    {
      match: {
        uri: place.uri,
        rangeLocations: ranges.map((range) => ({
          source: {
            startLineNumber: first - 1 + range.startLineNumber,
            startColumn: range.startColumn,
            endLineNumber: first - 1 + range.endLineNumber,
            endColumn: range.endColumn,
          },
          preview: { ...window.move(range) },
        })),
        previewText: window.text,
        ...(place.cellFragment === undefined ? {} : { cellFragment: place.cellFragment }),
        ...(place.webviewIndex === undefined ? {} : { webviewIndex: place.webviewIndex }),
      },
    },
  ];
}

function rangeOf(bytes: Buffer, start: number, end: number): Range {
  const at = (offset: number): readonly [line: number, column: number] => {
    const before = bytes.toString("utf8", 0, offset);
    const lastBreak = before.lastIndexOf("\n");
    return [before.split("\n").length - 1, before.length - lastBreak - 1];
  };
  const [startLineNumber, startColumn] = at(start);
  const [endLineNumber, endColumn] = at(end);
  return { startLineNumber, startColumn, endLineNumber, endColumn };
}

/** A fifth of a cut line is kept for what stands before its match. */
const SHARE_BEFORE = 5;

function cutPreview(
  text: string,
  column: number,
  options: PreviewOptions,
): { readonly text: string; readonly move: (range: Range) => Range } {
  const { maxLines, maxCharactersPerLine: most } = options;
  const lines = text.split(/\r?\n/).slice(0, maxLines);
  const [first = ""] = lines;
  const cutBefore =
    first.length <= most ? 0 : Math.max(0, Math.min(column - Math.floor(most / SHARE_BEFORE), first.length - most));
  const shown = lines.map((line, index) =>
    index === 0 ? line.slice(cutBefore, cutBefore + most) : line.slice(0, most),
  );
  const lastLine = shown.length - 1;
  const move = (line: number, at: number): readonly [line: number, column: number] => {
    if (line > lastLine) return [lastLine, shown[lastLine]?.length ?? 0];
    const moved = at - (line === 0 ? cutBefore : 0);
    return [line, Math.max(0, Math.min(moved, shown[line]?.length ?? 0))];
  };
  return {
    text: shown.join("\n"),
    move: (range) => {
      const [startLineNumber, startColumn] = move(range.startLineNumber, range.startColumn);
      const [endLineNumber, endColumn] = move(range.endLineNumber, range.endColumn);
      return { startLineNumber, startColumn, endLineNumber, endColumn };
    },
  };
}
