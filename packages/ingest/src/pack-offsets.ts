import type { OffsetMap } from "@quarry/extract";

/**
 * An offset map as a few bytes: each run's four numbers as differences to where the run before ended, seven bits a
 * byte. Pages have thousands of runs and most differences are small.
 */
export function packOffsets(map: OffsetMap): Uint8Array {
  const bytes: number[] = [];
  let textEnd = 0;
  let sourceEnd = 0;
  for (let index = 0; index + 3 < map.length; index += 4) {
    const [textStart = 0, textLength = 0, sourceStart = 0, sourceLength = 0] = map.slice(index, index + 4);
    for (const value of [textStart - textEnd, textLength, sourceStart - sourceEnd, sourceLength]) {
      pushNumber(bytes, value < 0 ? -value * 2 - 1 : value * 2);
    }
    textEnd = textStart + textLength;
    sourceEnd = sourceStart + sourceLength;
  }
  return Uint8Array.from(bytes);
}

/** The map that `packOffsets` packed. */
export function unpackOffsets(bytes: Uint8Array): OffsetMap {
  const map: number[] = [];
  let textEnd = 0;
  let sourceEnd = 0;
  let place = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[place] ?? 0;
      place += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
  };
  while (place < bytes.length) {
    const textStart = textEnd + next();
    const textLength = next();
    const sourceStart = sourceEnd + next();
    const sourceLength = next();
    map.push(textStart, textLength, sourceStart, sourceLength);
    textEnd = textStart + textLength;
    sourceEnd = sourceStart + sourceLength;
  }
  return map;
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}
