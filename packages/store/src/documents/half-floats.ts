/** Numbers as 16-bit floats, little-endian: half the room, and an error of at most a two-thousandth of each number. */
export function packHalfFloats(numbers: Float32Array): Buffer {
  const packed = Buffer.allocUnsafe(numbers.length * 2);
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (const [place, value] of bits.entries()) packed.writeUInt16LE(toHalf(value), place * 2);
  return packed;
}

/** The numbers again. */
export function unpackHalfFloats(packed: Uint8Array): Float32Array {
  const numbers = new Float32Array(packed.length / 2);
  for (let place = 0; place < numbers.length; place += 1) {
    numbers[place] = fromHalf((packed[place * 2] ?? 0) | ((packed[place * 2 + 1] ?? 0) << 8));
  }
  return numbers;
}

/** From the bits of a 32-bit float, rounded to the nearest; too large becomes the largest, too small 0. */
function toHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x80_00;
  const magnitude = bits & 0x7f_ff_ff_ff;
  if (magnitude >= 0x47_7f_f0_00) return sign | 0x7b_ff;
  if (magnitude < 0x38_80_00_00) {
    // Below the smallest normal half: steps of 2^-24.
    const value = new Float32Array(new Uint32Array([magnitude]).buffer)[0] ?? 0;
    return sign | Math.round(value * 2 ** 24);
  }
  return sign | ((magnitude + 0x0f_ff + ((magnitude >>> 13) & 1) - 0x38_00_00_00) >>> 13);
}

function fromHalf(half: number): number {
  const sign = (half & 0x80_00) === 0 ? 1 : -1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3_ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1_024) * 2 ** (exponent - 15);
}
