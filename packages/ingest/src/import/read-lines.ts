/** A line of a file, or that it is too long to be held. */
export type Line =
  { readonly number: number; readonly text: string } | { readonly number: number; readonly tooLong: true };

const LINE_FEED = 0x0a;

/** The lines of a stream as they come, in UTF-8; of one longer than `maxBytes` nothing is kept. */
export async function* readLines(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const finish = (): Line => {
    const line: Line =
      bytes > maxBytes ? { number, tooLong: true } : { number, text: Buffer.concat(parts).toString("utf8") };
    [number, parts, bytes] = [number + 1, [], 0];
    return line;
  };
  const add = (part: Uint8Array): void => {
    bytes += part.byteLength;
    if (bytes > maxBytes) parts = [];
    else if (part.byteLength > 0) parts.push(part);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield finish();
}
