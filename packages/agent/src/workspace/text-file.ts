import { createHash } from "node:crypto";
import iconv from "iconv-lite";

/** How a file's bytes stand for text; kept when it is written again. */
export type TextEncoding = "utf8" | "utf8-bom" | "utf16le-bom" | "utf16be-bom" | "windows1252";

/** A text and all that is needed to write it back as it was. */
export interface DecodedText {
  /** With the line ends of the file. */
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** How much of a file is looked at to tell text from other things. */
const SNIFFED_BYTES = 8_192;

/** Reads bytes as text; undefined when they are something else. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { text: bytes.subarray(3).toString("utf8"), encoding: "utf8-bom" };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: iconv.decode(bytes, "utf16le"), encoding: "utf16le-bom" };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: iconv.decode(bytes, "utf16be"), encoding: "utf16be-bom" };
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), encoding: "utf8" };
  } catch {
    return { text: iconv.decode(bytes, "windows1252"), encoding: "windows1252" }; // no UTF-8: the old default of the web
  }
}

/** Writes text in the encoding it was read in; undefined when that encoding lacks one of its characters. */
export function encodeText(text: string, encoding: TextEncoding): Buffer | undefined {
  switch (encoding) {
    case "utf8":
      return Buffer.from(text, "utf8");
    case "utf8-bom":
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, "utf8")]);
    case "utf16le-bom":
      return iconv.encode(text, "utf16le", { addBOM: true });
    case "utf16be-bom":
      return iconv.encode(text, "utf16be", { addBOM: true });
    case "windows1252": {
      const bytes = iconv.encode(text, "windows1252");
      return iconv.decode(bytes, "windows1252") === text ? bytes : undefined;
    }
  }
}

/** The lines of a text without their ends; a line end at the very end begins no line of its own. */
export function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** How many lines `linesOf` would give. */
export function countLines(text: string): number {
  if (text.includes("\r")) return linesOf(text).length;
  return countOf(text, "\n") + (text === "" || text.endsWith("\n") ? 0 : 1);
}

/** The line end that most lines of a text have. */
export function eolOf(text: string): "\n" | "\r\n" {
  if (!text.includes("\r\n")) return "\n";
  return countOf(text, "\r\n") > countOf(text, "\n") / 2 ? "\r\n" : "\n";
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Names contents: the same bytes have the same id. */
export function contentIdOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
