const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines at LF and nowhere else: node:readline would also split at
 * U+2028, which JSON may hold. A last line without LF is yielded too.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let pending: Uint8Array[] = [];
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]).toString("utf8");
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield Buffer.concat(pending).toString("utf8");
}
