import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { cliWorld, serveApi, temporaryDirectory } from "../testing.ts";
import type { ApiAnswer } from "../testing.ts";

function ndjsonOf(count: number): string {
  const file = path.join(temporaryDirectory(), "docs.ndjson");
  const line = (at: number): string => JSON.stringify({ url: `https://e.org/${at}`, text: `text ${at}` });
  writeFileSync(file, Array.from({ length: count }, (_, at) => line(at)).join("\n"));
  return file;
}

/** Takes every document, after these answers. A body of one line of NDJSON is JSON, as the fake server reads it. */
function serveDocuments(first: readonly ApiAnswer[] = []) {
  const answers = [...first];
  return serveApi(({ url }) => answers.shift() ?? { body: { documents: [status(url)], indexed: false } });
}

const status = (url: string) => ({ url, status: "created", version: 1, snapshotId: "s", canonicalUrl: null });

it("sends documents with their category, and counts them", async () => {
  const api = await serveDocuments();
  const run = await cliWorld().run(
    "index",
    "import",
    ndjsonOf(1),
    "--category",
    "c",
    "--shared",
    "--json",
    "--url",
    api.url,
  );
  expect(JSON.parse(run.stdout)).toMatchObject({ created: 1, failed: 0, failures: [] });
  expect(api.seen).toMatchObject([
    { method: "POST", url: "/quarry/v1/documents?shared=true", body: { url: "https://e.org/0", category: "c" } },
  ]);
});

it("sends a batch again when the server asks to wait", async () => {
  const api = await serveDocuments([{ status: 429, headers: { "retry-after": "0" }, body: { error: "slow down" } }]);
  const run = await cliWorld().run("index", "import", ndjsonOf(1), "--url", api.url);
  expect([run.code, api.seen.filter(({ method }) => method === "POST").length]).toEqual([0, 2]);
});

it("says how many pages searches by meaning do not find yet", async () => {
  const stats = {
    ...{ documents: 9, sharedDocuments: 0, words: 9, duplicates: 0, lastChangedAt: null, languages: [], hosts: [] },
    ...{ hostCount: 0, snapshots: { count: 9, bytes: 9 }, passages: 1, searchIndex: null, outbox: 2, vectorOutbox: 5 },
  };
  const api = await serveApi(({ url, method }) => ({
    body: method === "GET" ? stats : { documents: [status(url)], indexed: false },
  }));
  const run = await cliWorld().run("index", "import", ndjsonOf(1), "--url", api.url);
  expect([run.code, run.stderr]).toEqual([
    0,
    "7 pages still wait for their vectors: words find them now, searches by meaning later (see quarry index stats).\n",
  ]);
  expect((await cliWorld().run("index", "import", ndjsonOf(1), "--quiet", "--url", api.url)).stderr).toBe("");
});

it("ends with 1 when nothing could be imported, with the reason and the place", async () => {
  const api = await serveDocuments([{ status: 400, body: { error: "not so" } }]);
  const file = ndjsonOf(1);
  const run = await cliWorld().run("index", "import", file, "--url", api.url);
  expect([run.code, run.stderr]).toEqual([1, `warning: ${file}:1: not so\n`]);
});

it.each([
  ["a key that may not", 403, 3],
  ["a broken server", 500, 1],
])("stops at once for %s", async (_name, code, exitCode) => {
  const api = await serveDocuments([{ status: code, body: { error: "no" } }]);
  expect((await cliWorld().run("index", "import", ndjsonOf(1), "--url", api.url)).code).toBe(exitCode);
});

it("shows the first failures and counts the others", async () => {
  const file = path.join(temporaryDirectory(), "bad.ndjson");
  writeFileSync(file, "{\n".repeat(25));
  const run = await cliWorld().run("index", "import", file, "--url", (await serveDocuments()).url);
  expect([run.code, run.stderr.split("\n").length, run.stderr]).toEqual([
    1,
    12,
    expect.stringContaining("warning: and 15 more\n"),
  ]);
});

it("asks for an address that is one", async () => {
  const run = await cliWorld().run("index", "import", "x", "--base-url", "files");
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("Expected an http or https address.")]);
});

verifies("cli:output:file", "writes an export to the file of -o, and not over one that is there", async () => {
  const api = await serveApi(() => (response) => response.end("line\n"));
  const file = path.join(temporaryDirectory(), "out.ndjson");
  const run = await cliWorld().run("index", "export", "-o", file, "--json", "--url", api.url);
  expect(JSON.parse(run.stdout)).toEqual({ file, format: "ndjson", bytes: 5 });
  expect(readFileSync(file, "utf8")).toBe("line\n");
  expect((await cliWorld().run("index", "export", "-o", file, "--url", api.url)).code).toBe(2);
  expect((await cliWorld().run("index", "export", "--url", api.url)).stdout).toBe("line\n");
  expect(api.seen[0]?.url).toBe("/quarry/v1/index/export?format=ndjson");
});
