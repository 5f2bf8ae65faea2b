import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const BLOCK = 512;

/** The files of a gzipped tar by path, as text; undefined when the archive is not on this machine. */
export function readArchive(file: string): ReadonlyMap<string, string> | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = gunzipSync(readFileSync(file));
  const files = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const field = (from: number, length: number): string =>
      bytes
        .subarray(at + from, at + from + length)
        .toString("utf8")
        .replace(/\0.*$/s, "");
    const name = field(0, 100);
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    if (name === "" || !Number.isSafeInteger(size)) break;
    const kind = field(156, 1);
    const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (kind === "L") longName = content.toString("utf8").replace(/\0.*$/s, "");
    else if (kind === "x") longName = /\d+ path=([^\n]*)\n/.exec(content.toString("utf8"))?.[1] ?? longName;
    else {
      if (kind === "" || kind === "0")
        files.set(longName ?? (prefix === "" ? name : `${prefix}/${name}`), content.toString("utf8"));
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
