import type { IncomingMessage } from "node:http";
import { AppError } from "@quarry/base";

/** The longest event that is held. */
const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/** The data of each server-sent event of a reply, as they come; ends when the reply does, however that is. */
export async function* readEvents(reply: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  reply.setEncoding("utf8");
  let held = "";
  try {
    for await (const part of reply) {
      held = (held + String(part)).replaceAll("\r\n", "\n");
      if (held.length > MAX_EVENT_CHARACTERS) throw new AppError("too_large", "the server sent an event without end");
      for (let end = held.indexOf("\n\n"); end !== -1; end = held.indexOf("\n\n")) {
        const data = dataOf(held.slice(0, end));
        held = held.slice(end + 2);
        if (data !== "") yield data;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    // Cut off is over, too: whoever follows opens the stream anew.
  }
}

function dataOf(frame: string): string {
  return frame
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");
}
