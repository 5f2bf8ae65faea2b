import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createPageReader, type PageReader } from "./page-reader.ts";
import type { PageInput } from "./read-page.ts";

let directory = "";
let outfile = "";
let reader: PageReader;
beforeAll(async () => {
  // Beside the packages, so that those from npm are found.
  directory = mkdtempSync(path.join(path.resolve("node_modules"), ".page-reader-"));
  outfile = path.join(directory, "read-page-thread.mjs");
  await build({
    entryPoints: [path.join(import.meta.dirname, "read-page-thread.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["source"],
    logLevel: "error",
    plugins: [
      {
        name: "npm-packages-stay-outside",
        setup(bundler) {
          bundler.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
            kind === "entry-point" || name.startsWith("@quarry/") ? undefined : { path: name, external: true },
          );
        },
      },
    ],
  });
  reader = createPageReader({ entry: pathToFileURL(outfile), threads: 1 });
});
afterAll(async () => {
  await reader.close();
  rmSync(directory, { recursive: true });
});

function input(body: string, contentType: string): PageInput {
  const content = { kind: "bytes", bytes: Buffer.from(body), contentType } as const;
  return { url: "https://e.example/", content, now: new Date("2026-01-01T00:00:00Z") };
}

it("reads a page on its thread, dates and bytes included", async () => {
  const html = `<title>T</title><meta property="article:published_time" content="2024-05-06T00:00:00Z"><p>${"some words ".repeat(40)}</p>`;
  const outcome = await reader.readPage(input(html, "text/html"));
  expect(outcome).toMatchObject({ kind: "read", reading: { title: "T", publishedAt: new Date("2024-05-06") } });
  expect(outcome.kind === "read" && outcome.reading.sourceMap).toBeInstanceOf(Uint8Array);
});

it("answers what cannot be read with the reason, and reads on", async () => {
  const broken = await reader.readPage(input("%PDF-1.7 broken", "application/pdf"));
  expect(broken).toMatchObject({ kind: "unreadable", error: { code: "unprocessable" } });
  expect(await reader.readPage(input("plain words", "text/plain"))).toMatchObject({ kind: "read" });
});

it("reads PDF and office files on a thread of their own, which one too slow takes with it and no other page", async () => {
  const hurried = createPageReader({ entry: pathToFileURL(outfile), threads: 1, documentTimeoutMs: 1 });
  onTestFinished(() => hurried.close());
  const pdf = hurried.readPage(input("%PDF-1.7 broken", "application/pdf"));
  const page = hurried.readPage(input("plain words", "text/plain"));
  expect(await pdf).toMatchObject({ kind: "unreadable", error: { code: "timeout" } });
  expect(await page).toMatchObject({ kind: "read" });
});

it("reads a page again whose thread had no time for it, and gives up one that never ends", async () => {
  const entry = path.join(directory, "starved-thread.mjs");
  writeFileSync(
    entry,
    `import { existsSync, writeFileSync } from "node:fs";
     import { parentPort } from "node:worker_threads";
     parentPort.on("message", ({ input }) => {
       const mark = input.url.slice("https://".length);
       if (input.url.includes("starved") && existsSync(mark)) parentPort.postMessage({ kind: "done", output: "read" });
       else writeFileSync(mark, "");
     });`,
  );
  const starved = createPageReader({ entry: pathToFileURL(entry), threads: 2, pageTimeoutMs: 1_500 });
  onTestFinished(() => starved.close());
  const read = (name: string): ReturnType<PageReader["readPage"]> =>
    starved.readPage({ ...input("words", "text/plain"), url: `https://${path.join(directory, name)}` });
  const [again, never] = await Promise.all([read("starved"), read("endless")]);
  expect(again).toEqual({ kind: "read", reading: "read" });
  expect(never).toMatchObject({ kind: "unreadable", error: { code: "timeout" } });
});

it("calls no page unreadable because the reader ends", async () => {
  const ending = createPageReader({ entry: pathToFileURL(outfile), threads: 1 });
  const reading = ending.readPage(input("<p>x</p>".repeat(200_000), "text/html"));
  const waiting = ending.readPage(input("plain words", "text/plain"));
  const ends = [reading, waiting].map((page) => expect(page).rejects.toMatchObject({ code: "canceled" }));
  await ending.close();
  await Promise.all([
    ...ends,
    expect(ending.readPage(input("", "text/html"))).rejects.toMatchObject({ code: "unavailable" }),
  ]);
});

it("rejects when it is called off, before and while it reads", async () => {
  const stop = new AbortController();
  const reading = reader.readPage(input("<p>x</p>".repeat(200_000), "text/html"), stop.signal);
  stop.abort(new Error("called off"));
  await expect(reading).rejects.toThrow("called off");
  await expect(reader.readPage(input("", "text/html"), stop.signal)).rejects.toThrow("called off");
  expect(await reader.readPage(input("plain words", "text/plain"))).toMatchObject({ kind: "read" });
});
