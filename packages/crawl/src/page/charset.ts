import { isAscii, isUtf8 } from "node:buffer";
import { getEncoding } from "encoding-sniffer";
import iconv from "iconv-lite";
import { guessEncoding } from "./guess-encoding.ts";

/** What kind of text it is: markup may declare its own encoding. */
export type TextKind = "markup" | "plain";

/** Bytes made text, and how. */
export interface DecodedText {
  readonly text: string;
  /** The encoding used, by its WHATWG name in lower case. */
  readonly encoding: string;
  /**
   * Why that one: a byte order mark, the HTTP header, the markup's own declaration, bytes that are UTF-8, a guess from
   * the letters, or nothing at all (`default`). `overruled` when one was declared and the bytes are plainly another.
   */
  readonly reason: "bom" | "http" | "meta" | "utf-8" | "guess" | "default" | "overruled";
  /** What was declared, when it was overruled. */
  readonly declared?: string;
  /** How many characters could not be read and became U+FFFD. */
  readonly replacements: number;
}

/** An encoding that a page declares, and where. */
export interface DeclaredEncoding {
  readonly encoding: string;
  readonly reason: "bom" | "http" | "meta";
}

/**
 * Makes text of bytes, as the encoding standard has it: byte order mark, then the HTTP charset, then the markup's own
 * declaration. A declaration that the bytes plainly contradict is overruled, and where there is none the encoding is
 * found from the bytes. Never throws: what cannot be read becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array, kind: TextKind, charset?: string): DecodedText {
  const declared = declaredEncoding(bytes, kind, charset);
  if (declared?.reason === "bom") return decoded(bytes, declared.encoding, "bom");
  const wide = guessWide(bytes);
  if (wide !== undefined) return settle(bytes, wide, declared);
  if (isAscii(bytes)) {
    if (hasJapaneseEscapes(bytes)) return settle(bytes, "iso-2022-jp", declared);
    if (declared?.encoding.startsWith("utf-16") === true) return settle(bytes, "utf-8", declared); // it would have zeros
    return decoded(bytes, declared?.encoding ?? "windows-1252", declared?.reason ?? "default");
  }
  if (isUtf8(bytes)) return settle(bytes, "utf-8", declared);
  if (declared === undefined) return decodeUndeclared(bytes);
  return reads(bytes, declared.encoding)
    ? decoded(bytes, declared.encoding, declared.reason)
    : decodeMisdeclared(bytes, kind, declared);
}

/** The encoding that the byte order mark, the HTTP charset or the markup names, in this order. */
export function declaredEncoding(bytes: Uint8Array, kind: TextKind, charset?: string): DeclaredEncoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: "utf-8", reason: "bom" };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: "utf-16le", reason: "bom" };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", reason: "bom" };
  const http = charset === undefined ? undefined : encodingOfLabel(charset);
  if (http !== undefined) return { encoding: http, reason: "http" };
  const meta = kind === "markup" ? metaEncoding(bytes) : undefined;
  return meta === undefined ? undefined : { encoding: meta, reason: "meta" };
}

/** The encoding a label names, by the encoding standard's table; undefined for one it does not know. */
export function encodingOfLabel(label: string): string | undefined {
  return known(
    getEncoding(new Uint8Array(0), { transportLayerEncodingLabel: label.slice(0, 64), defaultEncoding: NONE }),
  );
}

/** How far into a page its declaration is looked for. Browsers begin again when they find one late; we look further at once. */
const MAX_META_BYTES = 16_384;
/** Stands for no answer: no page can declare this one, as the standard reads it as windows-1252. */
const NONE = "x-user-defined";

function metaEncoding(bytes: Uint8Array): string | undefined {
  return known(getEncoding(bytes.subarray(0, MAX_META_BYTES), { maxBytes: MAX_META_BYTES, defaultEncoding: NONE }));
}

/** `replacement` is the standard's word for encodings too dangerous to read; we look for a better one. */
function known(encoding: string): string | undefined {
  const name = encoding.toLowerCase();
  return name === NONE || name === "replacement" ? undefined : name;
}

/** UTF-16 without a mark: nearly every second byte of Latin markup is zero. */
function guessWide(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const length = Math.min(bytes.byteLength, 1024) & ~1;
  let [even, odd] = [0, 0];
  for (let index = 0; index < length; index += 2) {
    if (bytes[index] === 0) even += 1;
    if (bytes[index + 1] === 0) odd += 1;
  }
  if (length < 16) return undefined;
  if (odd > length * 0.2 && even < length * 0.02) return "utf-16le";
  return even > length * 0.2 && odd < length * 0.02 ? "utf-16be" : undefined;
}

/** ISO-2022-JP is ASCII, with escapes that say when it is Japanese. */
function hasJapaneseEscapes(bytes: Uint8Array): boolean {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return octets.includes("\x1b$B") || octets.includes("\x1b$@");
}

/** The bytes leave no doubt; what was declared only says whether we agree. */
function settle(bytes: Uint8Array, encoding: string, declared: DeclaredEncoding | undefined): DecodedText {
  if (declared === undefined) return decoded(bytes, encoding, encoding === "utf-8" ? "utf-8" : "guess");
  if (declared.encoding === encoding) return decoded(bytes, encoding, declared.reason);
  return { ...decoded(bytes, encoding, "overruled"), declared: declared.encoding };
}

function decodeUndeclared(bytes: Uint8Array): DecodedText {
  if (reads(bytes, "utf-8")) return decoded(bytes, "utf-8", "utf-8");
  const guess = guessEncoding(bytes);
  return guess === undefined ? decoded(bytes, "windows-1252", "default") : decoded(bytes, guess, "guess");
}

/** The server was wrong: the page itself, then its letters, may know better. */
function decodeMisdeclared(bytes: Uint8Array, kind: TextKind, declared: DeclaredEncoding): DecodedText {
  const others = [kind === "markup" ? metaEncoding(bytes) : undefined, guessEncoding(bytes), "utf-8"];
  const better = others.find((other) => other !== undefined && other !== declared.encoding && reads(bytes, other));
  if (better === undefined) return decoded(bytes, declared.encoding, declared.reason);
  return { ...decoded(bytes, better, "overruled"), declared: declared.encoding };
}

/** How much is tried when an encoding is put to the test. */
const MAX_TRIAL_BYTES = 65_536;

/** Whether nearly all of the text beyond ASCII can be read so. A page cut in the middle of a character still can. */
function reads(bytes: Uint8Array, encoding: string): boolean {
  const text = decodeAs(bytes.subarray(0, MAX_TRIAL_BYTES), encoding);
  const bad = countReplacements(text);
  if (bad === 0) return true;
  let beyondAscii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) beyondAscii += 1;
  return bad * 10 <= beyondAscii;
}

function decoded(bytes: Uint8Array, encoding: string, reason: DecodedText["reason"]): DecodedText {
  const text = decodeAs(bytes, encoding);
  return { text, encoding, reason, replacements: countReplacements(text) };
}

/** Names that iconv-lite spells its own way. */
const ICONV_NAMES: Readonly<Record<string, string>> = {
  "iso-8859-8-i": "iso-8859-8",
  "x-mac-cyrillic": "maccyrillic",
};

/**
 * Node's own decoder for Unicode and for what iconv-lite lacks; iconv-lite for the rest, since Node reads windows-1252
 * as Latin-1 and knows no iso-8859-16.
 */
function decodeAs(bytes: Uint8Array, encoding: string): string {
  const name = ICONV_NAMES[encoding] ?? encoding;
  if (name.startsWith("utf-") || !iconv.encodingExists(name)) return new TextDecoder(name).decode(bytes);
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), name);
}

function countReplacements(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\ufffd"); index !== -1; index = text.indexOf("\ufffd", index + 1)) count += 1;
  return count;
}
