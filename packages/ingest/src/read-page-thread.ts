import { serveThread } from "@quarry/base";
import { extractContent } from "./extract-content.ts";
import type { PageInput } from "./read-page.ts";

/** The entry of a reading thread: a page in, its reading out. A page that cannot be read is thrown as its AppError. */
serveThread(async (input) => {
  const outcome = await extractContent(input as PageInput);
  if (outcome.kind === "unreadable") throw outcome.error;
  return { output: outcome.reading, transfer: [] };
});
