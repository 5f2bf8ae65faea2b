import { canonicalUrl } from "@quarry/crawl";
import { parse as parseHost } from "tldts";
import { UnusableFileError } from "./unusable-file-error.ts";

/** What the columns of a file are, found from its first records. */
export interface CsvColumns {
  readonly names: readonly string[];
  /** Whether the first record is data: a list of addresses may come without a header. */
  readonly hasHeader: boolean;
  /** The column that names the entity. */
  readonly identifier: number;
  /** Whether the caller chose that column: then any text in it names an entity. */
  readonly isChosen: boolean;
  /** A column of addresses, and one of names, where there are such. */
  readonly url: number | undefined;
  readonly name: number | undefined;
}

/** The records that decide which column is which. */
export const COLUMN_SAMPLE_RECORDS = 100;

const URL_HEADER =
  /\b(?:url|urls|website|web ?site|link|homepage|home page|domain|web|site|linkedin|profile|address)\b/i;
const NAME_HEADER =
  /^(?:full |company |organi[sz]ation |business |person |entity |display )?(?:name|names|title|company|organi[sz]ation)$/i;
const EMAIL_HEADER = /\be-?mails?\b/i;
const EMAIL = /^[^\s@]+@(?=[^\s@]+$)[^\s@]+\.[^\s@]/;

/**
 * Finds the identifying column: the one the caller chose, else a column of addresses, else one of names, else one of
 * e-mail addresses. Throws `missing_identifier` that lists the columns there are, and `invalid_file_content` for a
 * header without records.
 */
export function findColumns(sample: readonly (readonly string[])[], chosen: number | null): CsvColumns {
  const [first = []] = sample;
  const hasHeader = !first.some((cell) => /^https?:\/\//i.test(cell.trim()) || EMAIL.test(cell.trim()));
  const records = hasHeader ? sample.slice(1) : sample;
  if (records.length === 0) {
    throw new UnusableFileError("invalid_file_content", "the file has a header and no records below it");
  }
  const width = Math.max(...sample.map((record) => record.length));
  const names = nameColumns(hasHeader ? first : [], width);
  const share = (column: number, test: (cell: string) => boolean): number => {
    const cells = records.map((record) => record[column]?.trim() ?? "").filter((cell) => cell !== "");
    return cells.length === 0 ? 0 : cells.filter(test).length / cells.length;
  };
  const columns = [...names.keys()];
  const best = (test: (cell: string) => boolean, header: RegExp): number | undefined =>
    columns
      .map((column) => ({ column, share: share(column, test), isNamed: header.test(spaced(names[column] ?? "")) }))
      .filter((one) => one.share >= 0.5)
      .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.share - a.share || a.column - b.column)[0]?.column;
  const url = best((cell) => toAddress(cell) !== undefined, URL_HEADER);
  const name = columns.find((column) => NAME_HEADER.test(spaced(names[column] ?? "").trim()) && column !== url);
  const email = best((cell) => EMAIL.test(cell), EMAIL_HEADER);
  if (chosen !== null) {
    if (chosen >= width) {
      throw new UnusableFileError(
        "missing_identifier",
        `csv.identifier is ${chosen}, and the file has ${width} columns, counted from 0: ${list(names)}`,
      );
    }
    return { names, hasHeader, identifier: chosen, isChosen: true, url: url ?? undefined, name };
  }
  const identifier = url ?? name ?? email;
  if (identifier === undefined) {
    throw new UnusableFileError(
      "missing_identifier",
      `no column holds addresses, names or e-mail addresses; name one with csv.identifier. The columns are ${list(names)}`,
    );
  }
  return { names, hasHeader, identifier, isChosen: false, url, name };
}

/** The canonical address a cell holds, with or without its scheme; undefined for anything else. */
export function toAddress(cell: string): string | undefined {
  const text = cell.trim();
  if (/^https?:\/\//i.test(text)) return canonicalUrl(text);
  if (/[\s@]/.test(text) || !text.includes(".")) return undefined;
  const host = parseHost(`https://${text}`, { extractHostname: true });
  return host.isIcann === true && host.domain !== null ? canonicalUrl(`https://${text}`) : undefined;
}

function nameColumns(header: readonly string[], width: number): readonly string[] {
  const taken = new Map<string, number>();
  return Array.from({ length: width }, (_, column) => {
    const name = header[column]?.trim() ?? "";
    const wanted = name === "" ? `column ${column + 1}` : name;
    const times = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, times);
    return times === 1 ? wanted : `${wanted} (${times})`;
  });
}

/** `companyName` and `company_name` as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 60)));
  return shown.join(", ") + (names.length > shown.length ? ", …" : "");
}
