import { UnusableFileError } from "./unusable-file-error.ts";

/** How much of a file without a mark is looked at, from its first byte beyond ASCII on. */
const SAMPLE_BYTES = 256 * 1024;

/** The name iconv-lite knows a file's encoding by, and where its text begins, after a byte order mark. */
export interface TextEncoding {
  readonly name: string;
  readonly markBytes: number;
}

/**
 * Finds out how a text file is written: by its byte order mark, else UTF-16 by its zeros, UTF-8 when every byte is,
 * else the legacy encoding whose words look most like words. Throws `invalid_format` for what is no text at all.
 */
export function detectEncoding(bytes: Uint8Array): TextEncoding {
  const marked = MARKS.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return { name: marked.name, markBytes: marked.mark.length };
  refuseKnownBinary(bytes);
  const sample = sampleOf(bytes);
  const zeros = countZeros(sample);
  if (zeros.odd + zeros.even > 0) return { name: utf16OrRefuse(sample, zeros), markBytes: 0 };
  if (isUtf8(bytes)) return { name: "utf8", markBytes: 0 };
  return { name: guessLegacy(sample), markBytes: 0 };
}

/** Longer marks first: UTF-32's little-endian mark begins with UTF-16's. */
const MARKS = [
  { name: "utf32le", mark: [0xff, 0xfe, 0, 0] },
  { name: "utf32be", mark: [0, 0, 0xfe, 0xff] },
  { name: "utf8", mark: [0xef, 0xbb, 0xbf] },
  { name: "utf16le", mark: [0xff, 0xfe] },
  { name: "utf16be", mark: [0xfe, 0xff] },
] as const;

const BINARY_STARTS: readonly (readonly [start: string, what: string])[] = [
  ["PK\u0003\u0004", "a ZIP or an Excel workbook"],
  ["\u00d0\u00cf\u0011\u00e0", "an old Excel or Word file"],
  ["%PDF-", "a PDF"],
  ["\u0089PNG", "a picture"],
  ["\u00ff\u00d8\u00ff", "a picture"],
  ["GIF8", "a picture"],
  ["\u001f\u008b", "a gzip file"],
  ["PAR1", "a Parquet file"],
  ["SQLite format 3", "a database"],
];

function refuseKnownBinary(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const known = BINARY_STARTS.find(([sign]) => start.startsWith(sign));
  if (known !== undefined) {
    throw new UnusableFileError("invalid_format", `the file is ${known[1]}, not CSV: save it as CSV and upload that`);
  }
}

function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80 || byte === 0);
  const from = Math.max(0, first < 0 ? 0 : first - 64) & ~1; // even, so that UTF-16's halves keep their place
  return bytes.subarray(from, from + SAMPLE_BYTES);
}

function countZeros(sample: Uint8Array): { readonly odd: number; readonly even: number } {
  let odd = 0;
  let even = 0;
  for (const [index, byte] of sample.entries()) {
    if (byte === 0 && index % 2 === 1) odd += 1;
    else if (byte === 0) even += 1;
  }
  return { odd, even };
}

/** In UTF-16, addresses and delimiters have a zero in every other place, and nowhere else. */
function utf16OrRefuse(sample: Uint8Array, zeros: { readonly odd: number; readonly even: number }): string {
  const enough = sample.length / 10;
  if (zeros.odd >= enough && zeros.even <= zeros.odd / 50) return "utf16le";
  if (zeros.even >= enough && zeros.odd <= zeros.even / 50) return "utf16be";
  throw new UnusableFileError("invalid_format", "the file is not text: upload a CSV file");
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // some byte cannot be UTF-8
  }
}

/** European text has its high bytes one by one among ASCII, Cyrillic in words of the upper half, East Asian in pairs. */
function guessLegacy(sample: Uint8Array): string {
  const high = [...sample.keys()].filter((index) => (sample[index] ?? 0) >= 0x80);
  const isHigh = (index: number): boolean => (sample[index] ?? 0) >= 0x80;
  const alone = high.filter((index) => !isHigh(index - 1) && !isHigh(index + 1)).length;
  const kana = decodeIfValid("shift_jis", sample);
  if (kana !== undefined && share(kana, /[\u3040-\u30ff]/gu) > 0.3) return "shift_jis";
  if (alone > high.length / 2) return "windows-1252";
  const upper = high.filter((index) => (sample[index] ?? 0) >= 0xc0);
  if (upper.length >= high.length * 0.95) {
    const lowerHalf = upper.filter((index) => (sample[index] ?? 0) < 0xe0).length;
    return lowerHalf > upper.length / 2 ? "koi8-r" : "windows-1251"; // where each keeps its small letters
  }
  const japanese = decodeIfValid("euc-jp", sample);
  if (japanese !== undefined && share(japanese, /[\u3040-\u30ff]/gu) > 0.3) return "euc-jp";
  const korean = decodeIfValid("euc-kr", sample);
  if (korean !== undefined && share(korean, /[\uac00-\ud7a3]/gu) > 0.8) return "euc-kr";
  const readings = ["gb18030", "big5", "shift_jis"].flatMap((name) => {
    const text = decodeIfValid(name, sample);
    return text === undefined ? [] : [{ name, common: share(text, /[的一是在不了有人公司大中国國]/gu) }];
  });
  return readings.sort((a, b) => b.common - a.common)[0]?.name ?? "windows-1252";
}

function decodeIfValid(name: string, sample: Uint8Array): string | undefined {
  try {
    return new TextDecoder(name, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return undefined; // not in this encoding
  }
}

/** How many of the characters beyond ASCII are such ones. */
function share(text: string, wanted: RegExp): number {
  const beyond = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  return beyond === 0 ? 0 : (text.match(wanted)?.length ?? 0) / beyond;
}
