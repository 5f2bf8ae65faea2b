import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import iconv from "iconv-lite";
import { detectDelimiter } from "./detect-delimiter.ts";
import { detectEncoding } from "./detect-encoding.ts";
import { UnusableFileError } from "./unusable-file-error.ts";

/** The records of a CSV file in order, read as they are asked for. Throws UnusableFileError where the file is broken. */
export type CsvRecords = AsyncIterable<readonly string[]>;

/** Text that decides the delimiter. */
const SAMPLE_CHARACTERS = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** The longest record: one unclosed quote must not swallow the file. */
const MAX_RECORD_CHARACTERS = 1_000_000;
const MAX_COLUMNS = 1_000;

/**
 * Opens a CSV file of any usual encoding and delimiter, with or without quotes and byte order mark. Throws
 * UnusableFileError at once for what is no text, or text of another kind; each call of the result begins anew.
 */
export function openCsv(bytes: Uint8Array): () => CsvRecords {
  if (bytes.length === 0) throw new UnusableFileError("invalid_file_content", "the file is empty");
  const encoding = detectEncoding(bytes);
  const body = bytes.subarray(encoding.markBytes);
  const sample = iconv.decode(Buffer.from(body.subarray(0, SAMPLE_CHARACTERS)), encoding.name);
  refuseOtherText(sample);
  const { delimiter, skip } = detectDelimiter(sample, body.length <= SAMPLE_CHARACTERS);
  return () => readRecords(decodeChunks(body, encoding.name, skip), delimiter);
}

/** What is text and still no table. */
function refuseOtherText(sample: string): void {
  if (sample.trim() === "") throw new UnusableFileError("invalid_file_content", "the file has no text in it");
  const start = sample.trimStart().slice(0, 200);
  const kind = /^<(?:!doctype|html|\?xml|!--)/i.test(start)
    ? "a web page or XML"
    : /^(?:\{\s*"|\[\s*[{["])/.test(start)
      ? "JSON"
      : undefined;
  if (kind !== undefined)
    throw new UnusableFileError("invalid_format", `the file is ${kind}, not CSV: upload a CSV file`);
  const controls = sample.match(/[\0\x02-\x08\x0e-\x1a\x7f]/g)?.length ?? 0;
  if (controls > sample.length / 100) {
    throw new UnusableFileError("invalid_format", "the file is not text: upload a CSV file");
  }
}

function* decodeChunks(body: Uint8Array, encoding: string, skip: number): Generator<string> {
  const decoder = iconv.getDecoder(encoding);
  let left = skip;
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const text = decoder.write(Buffer.from(body.subarray(at, at + CHUNK_BYTES)));
    if (text.length > left) yield text.slice(left);
    left = Math.max(0, left - text.length);
  }
  const rest = decoder.end();
  if (rest !== undefined && rest !== "") yield rest;
}

async function* readRecords(chunks: Iterable<string>, delimiter: string): AsyncGenerator<readonly string[]> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  const source = Readable.from(chunks);
  source.pipe(parser);
  try {
    for await (const record of parser as AsyncIterable<readonly string[]>) {
      if (record.length > MAX_COLUMNS) {
        throw new UnusableFileError("invalid_file_content", `a record has more than ${MAX_COLUMNS} columns`);
      }
      yield record;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnusableFileError("invalid_file_content", explain(error), error);
  } finally {
    source.destroy();
  }
}

function explain(error: CsvError): string {
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    return "a quoted field is never closed: look for a single quotation mark, and double those inside fields";
  }
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return `a record is longer than ${MAX_RECORD_CHARACTERS} characters: look for a quotation mark that is never closed`;
  }
  return `the file cannot be read as CSV: ${error.message}`;
}
