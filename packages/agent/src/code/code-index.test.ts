import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withFullDisk } from "../testing-disk.ts";
import { analyseFile } from "./analyse-file.ts";
import { CodeIndex } from "./code-index.ts";
import { rankTexts } from "./rank-texts.ts";
import { VectorFile } from "./vector-file.ts";

const { signal } = new AbortController();
let directory = "";
beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), "quarry-code-index-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** An index of files whose time stamps never change by themselves; `read` collects what was analysed. */
function openIndex(files: readonly string[], read: string[]): CodeIndex {
  return new CodeIndex(
    {
      scan: () =>
        Promise.resolve({
          files: files.map((relative) => ({ relative, mtimeMs: 1, size: 1 })),
          tooLarge: [],
          isCut: false,
        }),
      analyse: (relative, text) => {
        read.push(relative);
        return analyseFile(relative, text);
      },
    },
    { root: directory, directory: path.join(directory, "index") },
  );
}

describe("the code index", () => {
  const find = (index: CodeIndex, word: string) =>
    index.words.find([word], 9, () => true).map(({ chunk }) => index.chunk(chunk)?.relative);

  it("is read from the disk again, also after a line was half-written", async () => {
    writeFileSync(path.join(directory, "a.txt"), "alpha\n");
    writeFileSync(path.join(directory, "b.txt"), "beta\n");
    const read: string[] = [];
    expect(await openIndex(["a.txt", "b.txt"], read).refresh(9_000, signal)).toBe(true);
    appendFileSync(path.join(directory, "index/files.ndjson"), '{"file":{"relative":"c.txt"');
    const again = openIndex(["a.txt", "b.txt"], read);
    await again.refresh(9_000, signal);
    expect([find(again, "alpha"), find(again, "beta")]).toEqual([["a.txt"], ["b.txt"]]);
    expect(read.toSorted()).toEqual(["a.txt", "b.txt"]); // each once, in the order the disk answered
    // What is gone stays gone.
    await openIndex(["b.txt"], read).refresh(9_000, signal);
    const third = openIndex(["a.txt", "b.txt"], read);
    await third.refresh(9_000, signal);
    expect(read.slice(2)).toEqual(["a.txt"]);
  });

  it("is made anew when another version of the program wrote it", async () => {
    writeFileSync(path.join(directory, "a.txt"), "alpha\n");
    const read: string[] = [];
    await openIndex(["a.txt"], read).refresh(9_000, signal);
    const file = path.join(directory, "index/files.ndjson");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"version":\d+/, '"version":0'));
    await openIndex(["a.txt"], read).refresh(9_000, signal);
    expect(read).toEqual(["a.txt", "a.txt"]);
  });

  it("serves many at once with few looks, and lets one leave without stopping the others", async () => {
    writeFileSync(path.join(directory, "a.txt"), "alpha\n");
    const index = openIndex(["a.txt"], []);
    const stop = new AbortController();
    const waits = [index.refresh(9_000, stop.signal), ...Array.from({ length: 5 }, () => index.refresh(9_000, signal))];
    stop.abort(new Error("left"));
    const ends = await Promise.allSettled(waits);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", ...Array.from({ length: 5 }, () => "fulfilled")]);
    expect(find(index, "alpha")).toEqual(["a.txt"]);
    await index.close();
    await expect(index.refresh(9_000, signal)).rejects.toThrow("the code index was closed");
  });
});

it("keeps vectors, near enough, and drops a record that was half-written", async () => {
  const [one, other] = ["0".repeat(32), "1".repeat(32)];
  const vectors = await VectorFile.open(directory, "model");
  await vectors.add([[one, Float32Array.from([0.6, 0.8])]]);
  const [name = ""] = readdirSync(directory);
  appendFileSync(path.join(directory, name), Buffer.from([1, 2, 3]));
  const again = await VectorFile.open(directory, "model");
  await again.add([[other, Float32Array.from([1, 0])]]);
  const third = await VectorFile.open(directory, "model");
  expect(third.nearness(one, Float32Array.from([0.6, 0.8]))).toBeCloseTo(1, 2);
  expect(third.nearness(other, Float32Array.from([0, 1]))).toBeCloseTo(0, 2);
  expect(third.nearness("2".repeat(32), Float32Array.from([0, 1]))).toBeUndefined();
  expect((await VectorFile.open(directory, "another model")).has(one)).toBe(false);
});

it("keeps vectors whole when the disk was full in the middle of one, the first of all too", async () => {
  const keys = ["0", "1", "2"].map((digit) => digit.repeat(32));
  const add = (file: VectorFile, at: number) => file.add([[keys[at] ?? "", Float32Array.from([at === 1 ? 1 : 0, 1])]]);
  const vectors = await VectorFile.open(directory, "model");
  await expect(withFullDisk(() => add(vectors, 0))).rejects.toThrow("ENOSPC");
  await add(vectors, 1);
  await expect(withFullDisk(() => add(vectors, 0))).rejects.toThrow("ENOSPC");
  await Promise.all([add(vectors, 2), add(vectors, 0)]);
  const again = await VectorFile.open(directory, "model");
  expect(keys.map((key) => again.nearness(key, Float32Array.from([1, 0]))?.toFixed(1))).toEqual(["0.0", "1.0", "0.0"]);
});

it("ranks texts by the words of a question", () => {
  expect(rankTexts("watering plants", ["tax of invoices", "water the plants", "a plant"], 5)).toEqual([1, 2]);
});
