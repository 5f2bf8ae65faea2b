import { serveThread } from "@quarry/base";
import { loadMiniLm } from "./minilm.ts";
import { findModelDirectory, readModelFiles } from "./model-files.ts";

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
