import { strFromU8, unzipSync, zipSync } from "fflate";
import type { ExtractLimits } from "../limits.ts";

/** The wanted parts of a zip archive, by name. */
export type ArchiveParts = Readonly<Record<string, Uint8Array>>;

const MAX_ENTRIES = 10_000;

/**
 * Unpacks the parts of an archive whose names match, or says that they are too large together. Sizes are those the
 * archive declares, and no part is unpacked beyond its own. Throws when the bytes are no archive.
 */
export function unpackArchive(bytes: Uint8Array, wanted: RegExp, limits: ExtractLimits): ArchiveParts | "too-large" {
  let total = 0;
  let entries = 0;
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!wanted.test(name)) return false;
      entries += 1;
      total += originalSize;
      return entries <= MAX_ENTRIES && total <= limits.maxUnpackedBytes;
    },
  });
  return total > limits.maxUnpackedBytes || entries > MAX_ENTRIES ? "too-large" : parts;
}

/** Packs parts again without compression, for a library that wants an archive: it cannot be a bomb any more. */
export function repackArchive(parts: ArchiveParts): Uint8Array {
  return zipSync(parts, { level: 0 });
}

/** A part as text; empty when the archive has none of that name. */
export function partText(parts: ArchiveParts, name: string): string {
  const part = parts[name];
  return part === undefined ? "" : strFromU8(part);
}
