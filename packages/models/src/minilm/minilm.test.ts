import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { verifies } from "@quarry/tests";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../embedder.ts";
import { createMiniLmEmbedder } from "./minilm-embedder.ts";
import { findModelDirectory, readModelFiles } from "./model-files.ts";
import { createThreadedEmbedder } from "./threaded-embedder.ts";

let embedder: Embedder;
beforeAll(async () => (embedder = await createMiniLmEmbedder()));
afterAll(() => embedder.close());

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return Array.from(one ?? []).reduce((sum, value, index) => sum + value * (other?.[index] ?? 0), 0);
}

describe("the embedded model", () => {
  it("puts a question nearer to its answer than to another sentence", async () => {
    const [question, answer, other] = await embedder.embed([
      "How do I undo the last commit?",
      "git reset --soft HEAD~1 takes back the most recent commit and keeps your changes.",
      "The museum opens at nine on weekdays.",
    ]);
    expect(dot(question, answer)).toBeGreaterThan(dot(question, other) + 0.3);
  });

  it("gives unit vectors that do not depend on order or company", async () => {
    const texts = ["short", "a somewhat longer sentence about quarries and stone", "word ".repeat(400), ""];
    const together = await embedder.embed(texts);
    const reversed = [...(await embedder.embed([...texts].reverse()))].reverse();
    for (const [index, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      expect(together[index]).toHaveLength(384);
      expect(dot(together[index], together[index])).toBeCloseTo(1, 4);
      expect(together[index]).toEqual(alone);
      expect(together[index]).toEqual(reversed[index]);
    }
  });

  it("reads 256 tokens, not the 128 of the packaged description", async () => {
    const filler = "stone ".repeat(180);
    const [plain, marked] = await embedder.embed([filler, `${filler} elephants dancing in Paris`]);
    expect(dot(plain, marked)).toBeLessThan(0.995);
  });

  verifies("index:speed:vectors-25-a-cpu-second", "reads 25 passages of 900 characters a CPU-second", async () => {
    const passages = Array.from({ length: 20 }, (_, number) =>
      `Part ${number}: the quarry's stone is cut by hand and by water, and every block is numbered. `.repeat(10),
    );
    const before = process.cpuUsage();
    await embedder.embed(passages);
    const { user, system } = process.cpuUsage(before);
    expect((passages.length * 1_000_000) / (user + system)).toBeGreaterThan(25);
  });

  it("lets timers and I/O have their turn between texts, also of callers at once", async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 6 }, (_, index) => embedder.embed([`a text to read, number ${index}`])));
    await embedder.embed(Array.from({ length: 6 }, (_, index) => `another text to read, number ${index}`));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("sees between texts that it is to stop", async () => {
    const stop = new AbortController();
    const all = embedder.embed(["one text to read", "two texts to read", "three texts to read"], stop.signal);
    setImmediate(() => stop.abort(new Error("the client left")));
    await expect(all).rejects.toThrow("the client left");
  });

  it("stops when told to", async () => {
    await expect(embedder.embed(["a"], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});

describe("the model's files", () => {
  verifies("index:models:weights-verified", "are refused when a byte differs, or when one is missing", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-model-"));
    try {
      await expect(readModelFiles(directory)).rejects.toThrow("install again with npm ci");
      cpSync(findModelDirectory(), directory, { recursive: true });
      writeFileSync(path.join(directory, "tokenizer.json"), "{}");
      await expect(readModelFiles(directory)).rejects.toThrow("tokenizer.json is not the known file");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("the threaded embedder", () => {
  it("gives the vectors of the model, in order, from several threads", async () => {
    // Below the package, so that the bundle finds the npm packages it leaves outside.
    const directory = mkdtempSync(path.join(import.meta.dirname, ".bundle-"));
    const outfile = path.join(directory, "embed-thread.mjs");
    await build({
      entryPoints: [path.join(import.meta.dirname, "embed-thread.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      conditions: ["source"],
      external: ["onnxruntime-node", "@huggingface/tokenizers"],
      logLevel: "error",
    });
    const threaded = createThreadedEmbedder({ entry: pathToFileURL(outfile), threads: 2 });
    try {
      const texts = Array.from(
        { length: 70 },
        (_, index) => `passage number ${index} about ${index % 2 === 0 ? "cats" : "law"}`,
      );
      const [many, few] = await Promise.all([threaded.embed(texts), embedder.embed(texts.slice(0, 3))]);
      expect(many).toHaveLength(70);
      expect(many.slice(0, 3)).toEqual(few);
    } finally {
      await threaded.close();
      rmSync(directory, { recursive: true });
    }
  });
});
