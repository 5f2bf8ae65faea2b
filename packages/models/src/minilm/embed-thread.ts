import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { serveThread } from "@quarry/base";
import { loadMiniLm } from "./minilm.ts";
import { findModelDirectory, readModelFiles } from "./model-files.ts";

/** Of 19: searches, writes and the database come first. */
const PRIORITY = 15;

// Linux gives every thread a priority of its own, by the thread's id; elsewhere the process has one, and keeps it.
if (process.platform === "linux") setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), PRIORITY);

/** The entry of an embedding thread: takes a list of texts, gives their vectors one after the other in one buffer. */
const model = readModelFiles(findModelDirectory()).then((files) => loadMiniLm(files, 1));

serveThread(async (input) => {
  const vectors = await (await model).embed(input as readonly string[]);
  const all = new Float32Array(vectors.reduce((total, vector) => total + vector.length, 0));
  let place = 0;
  for (const vector of vectors) {
    all.set(vector, place);
    place += vector.length;
  }
  return { output: all, transfer: [all.buffer] };
});
