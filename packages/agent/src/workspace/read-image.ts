/** An image's kind and size in pixels, from its first bytes; undefined for what is no image we know. */
export function readImage(
  bytes: Buffer,
): { readonly mediaType: string; readonly width: number; readonly height: number } | undefined {
  if (bytes.subarray(0, 8).equals(PNG) && bytes.length >= 24) {
    return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)) && bytes.length >= 10) {
    return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") return readWebp(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes);
  return undefined;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readWebp(bytes: Buffer): ReturnType<typeof readImage> {
  const mediaType = "image/webp";
  if (bytes.length < 30) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** The size stands in the first start-of-frame segment. */
function readJpeg(bytes: Buffer): ReturnType<typeof readImage> {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { mediaType: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** What a binary file is, as a person would say it. */
export function nameBinary(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, 8);
  const known = BINARIES.find(([magic]) => start.startsWith(magic));
  return known?.[1] ?? "a binary file of an unknown type";
}

const BINARIES: readonly (readonly [magic: string, name: string])[] = [
  ["%PDF-", "a PDF"],
  ["PK\x03\x04", "a ZIP archive or Office document"],
  ["\x1f\x8b", "a gzip archive"],
  ["BZh", "a bzip2 archive"],
  ["\xfd7zXZ", "an xz archive"],
  ["7z\xbc\xaf", "a 7z archive"],
  ["\x7fELF", "an ELF program"],
  ["MZ", "a Windows program"],
  ["\xcf\xfa\xed\xfe", "a Mach-O program"],
  ["\xca\xfe\xba\xbe", "a Java class or Mach-O program"],
  ["\0asm", "a WebAssembly module"],
  ["SQLite f", "an SQLite database"],
  ["OggS", "an Ogg recording"],
  ["ID3", "an MP3 recording"],
  ["wOF2", "a font"],
  ["wOFF", "a font"],
];
