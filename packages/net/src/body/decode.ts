import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import type { Chunks } from "./chunks.ts";
import type { Coding } from "./content-encoding.ts";
import { decodeZstd } from "./decode-zstd.ts";

/** Undoes one coding as the reader asks for more; throws when the data are not of that coding or end too soon. */
export function decode(coding: Coding, source: Chunks): Chunks {
  switch (coding) {
    case "gzip":
      return through(source, createGunzip());
    case "br":
      return through(source, createBrotliDecompress());
    case "deflate":
      return decodeDeflate(source);
    case "zstd":
      return decodeZstd(source);
  }
}

async function* through(source: Chunks, transform: NodeJS.ReadWriteStream & { destroy: () => void }): Chunks {
  const ends = new Promise<void>((resolve) => {
    pipeline(source, transform, () => resolve()); // an error reaches us by the iteration below
  });
  try {
    for await (const chunk of transform) yield chunk as Uint8Array;
  } finally {
    transform.destroy();
    await ends;
  }
}

/** RFC 9110 says zlib's wrapper; many servers send bare deflate. The first two bytes tell. */
async function* decodeDeflate(source: Chunks): Chunks {
  const iterator = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  try {
    while (start.length < 2) {
      const next = await iterator.next();
      if (next.done === true) break;
      start = Buffer.concat([start, next.value]);
    }
    if (start.length === 0) return;
    const hasWrapper = start.length >= 2 && ((start[0] ?? 0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0;
    yield* through(startingWith(start, iterator), hasWrapper ? createInflate() : createInflateRaw());
  } finally {
    await iterator.return?.();
  }
}

async function* startingWith(start: Uint8Array, rest: AsyncIterator<Uint8Array>): Chunks {
  yield start;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
