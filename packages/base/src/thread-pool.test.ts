import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { verifies } from "@quarry/tests";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ThreadPool, type ThreadPoolOptions, type ThreadTaskOptions } from "./thread-pool.ts";

let directory = "";
let entry = new URL("file:///");
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "quarry-threads-"));
  const source = path.join(directory, "entry.ts");
  writeFileSync(
    source,
    `import { serveThread } from ${JSON.stringify(path.resolve(import.meta.dirname, "serve-thread.ts"))};
     import { AppError } from ${JSON.stringify(path.resolve(import.meta.dirname, "app-error.ts"))};
     import { threadId } from "node:worker_threads";
     serveThread(async (input) => {
       if (input === "hang") for (;;) {}
       if (input === "exit") process.exit(3);
       if (input === "refuse") throw new AppError("too_large", "over the limit", { retryable: true });
       if (input === "throw") throw new TypeError("bad luck");
       if (input === "eat") { const all = []; for (;;) all.push(new Array(100000).fill(all.length)); }
       if (typeof input === "number") await new Promise((done) => setTimeout(done, input));
       return { output: { input, threadId }, transfer: [] };
     });`,
  );
  const outfile = path.join(directory, "entry.mjs");
  await build({ entryPoints: [source], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  entry = pathToFileURL(outfile);
});
afterAll(() => rmSync(directory, { recursive: true }));

const pools: ThreadPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
function poolOf(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  const pool = new ThreadPool({ entry, threads: 1, ...options });
  pools.push(pool);
  return pool;
}

describe("ThreadPool", () => {
  verifies("server:threads:main-thread-free", "answers every task, on as many threads as it has", async () => {
    const pool = poolOf({ threads: 2 });
    const replies = (await Promise.all([30, 31, 32, 33].map((ms) => pool.run(ms)))) as {
      input: number;
      threadId: number;
    }[];
    expect(replies.map(({ input }) => input)).toEqual([30, 31, 32, 33]);
    expect(new Set(replies.map(({ threadId }) => threadId)).size).toBe(2);
  });

  it("passes on the thread's own refusal", async () => {
    await expect(poolOf().run("refuse")).rejects.toMatchObject({
      code: "too_large",
      message: "over the limit",
      retryable: true,
    });
    await expect(poolOf().run("throw")).rejects.toMatchObject({ code: "internal", message: "bad luck" });
  });

  const deaths: readonly [string, string, ThreadTaskOptions, object][] = [
    ["hangs", "hang", { timeoutMs: 50 }, { code: "timeout" }],
    ["exits", "exit", {}, { code: "internal", message: expect.stringContaining("code 3") as unknown }],
    ["eats its memory", "eat", {}, { code: "internal", message: expect.stringContaining("memory") as unknown }],
  ];
  for (const [way, input, options, expected] of deaths) {
    verifies("server:threads:worker-restarts", `fails a task that ${way}, and goes on with the next`, async () => {
      const pool = poolOf({ resourceLimits: { maxOldGenerationSizeMb: 32 } });
      const [bad, good] = await Promise.allSettled([pool.run(input, options), pool.run("next")]);
      expect(bad).toMatchObject({ status: "rejected", reason: expected });
      expect(good).toMatchObject({ status: "fulfilled", value: { input: "next" } });
    });
  }

  it("lets a task be called off while it waits and while it runs", async () => {
    const pool = poolOf();
    const stop = new AbortController();
    const running = pool.run("hang", { signal: stop.signal });
    const waiting = pool.run(1, { signal: stop.signal });
    const other = pool.run("other");
    stop.abort(new Error("called off"));
    await expect(running).rejects.toThrow("called off");
    await expect(waiting).rejects.toThrow("called off");
    expect(await other).toMatchObject({ input: "other" });
  });

  it("refuses more than may wait, and everything once closed", async () => {
    const pool = poolOf({ maxQueued: 1 });
    const running = pool.run("hang");
    const waiting = pool.run(1);
    await expect(pool.run(2)).rejects.toMatchObject({ code: "unavailable", retryable: true });
    const ended = Promise.allSettled([running, waiting]);
    await pool.close();
    expect((await ended).map((result) => result.status)).toEqual(["rejected", "rejected"]);
    await expect(pool.run(3)).rejects.toMatchObject({ code: "unavailable" });
  });
});
