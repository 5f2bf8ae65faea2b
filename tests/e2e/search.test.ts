import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { withMiniWeb } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { startServerProcess, withDataDirectory } from "../../tools/server-process.ts";

const LONG_MS = 120_000;
const DOCUMENTS = [
  { url: "https://a.example/etna", title: "Etna", text: "Mount Etna is a volcano in Sicily. It erupted in 2021." },
  { url: "https://a.example/fuji", title: "Fuji", text: "Mount Fuji is a volcano in Japan. It erupted in 1707." },
];

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built CLI against the server of a data directory. */
async function quarry(dataDirectory: string, ...args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [path.resolve("dist", "cli.js"), ...args], {
    cwd: dataDirectory,
    env: { PATH: process.env["PATH"], QUARRY_DATA_DIR: dataDirectory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString("utf8")));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

verifies(
  ["cli:search:json-type", "cli:search:highlights", "cli:contents:command"],
  "quarry search, similar and contents work against the real server",
  () =>
    withDataDirectory((directory) =>
      withMiniWeb(
        (target) => (target === "/live" ? { body: "<title>Live</title><p>A live page about hawks.</p>" } : undefined),
        {},
        async (web) => {
          const settings = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_SAMPLE: "0", QUARRY_LOG_LEVEL: "warn" };
          const server = await startServerProcess(directory, settings);
          try {
            await server.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS);
            const deep = await quarry(
              directory,
              "search",
              "when did Etna erupt",
              "--type",
              "deep",
              "--num",
              "1",
              "--json",
            );
            expect([deep.code, JSON.parse(deep.stdout)]).toMatchObject([
              0,
              { resolvedSearchType: "deep", results: [{ url: "https://a.example/etna", title: "Etna" }] },
            ]);
            const shown = await quarry(directory, "search", "volcano in Japan", "--type", "keyword", "-n", "1");
            expect(shown.stdout).toMatch(
              /^1\. Fuji\n {3}https:\/\/a\.example\/fuji\n[^]*▸ Mount Fuji is a volcano in Japan\./,
            );
            const similar = await quarry(directory, "similar", "https://a.example/etna", "--json");
            expect(JSON.parse(similar.stdout)).toMatchObject({ results: [{ url: "https://a.example/fuji" }] });
            const read = await quarry(directory, "contents", `${web.origin}/live`, `${web.origin}/missing`);
            expect([read.code, read.stdout]).toEqual([6, `Live\n${web.origin}/live\n\nA live page about hawks.\n`]);
            expect(read.stderr).toContain("CRAWL_NOT_FOUND");
            // What was read is kept, and found.
            await expect
              .poll(async () => (await quarry(directory, "search", "hawks", "--type", "keyword", "--json")).stdout, {
                timeout: 20_000,
              })
              .toContain(`${web.origin}/live`);
          } finally {
            await server.stop();
          }
        },
      ),
    ),
  LONG_MS,
);
