import { AppError } from "@quarry/base";

/** The longest event that is held: a model's deltas are short. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** The data of each server-sent event of a body, as they come. Throws `upstream_failed` for an event without end. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const bytes of body) {
    held = (held + decoder.decode(bytes, { stream: true })).replaceAll("\r\n", "\n");
    for (let end = held.indexOf("\n\n"); end !== -1; end = held.indexOf("\n\n")) {
      yield* dataOf(held.slice(0, end));
      held = held.slice(end + 2);
    }
    if (held.length > MAX_EVENT_CHARACTERS) {
      throw new AppError("upstream_failed", "the language model sent an event without end");
    }
  }
  // Some servers leave out the last blank line.
  yield* dataOf(held);
}

function* dataOf(frame: string): Generator<string> {
  const lines = frame.split("\n").filter((line) => line.startsWith("data:"));
  if (lines.length > 0) yield lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
}
