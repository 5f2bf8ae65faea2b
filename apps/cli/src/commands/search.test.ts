import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { cliWorld, serveApi } from "../testing.ts";

const RESULT = {
  id: "https://a.example/etna",
  url: "https://a.example/etna",
  title: "Etna",
  author: "Ada",
  publishedDate: "2025-03-01T00:00:00.000Z",
  score: 0.9123,
};
const REPLY = {
  requestId: "0".repeat(32),
  resolvedSearchType: "deep",
  results: [{ ...RESULT, highlights: ["The volcano \u001B[31mErupted in 2021."], highlightScores: [0.8] }],
  searchTime: 12.3,
  costDollars: { total: 0 },
  warnings: [{ code: "few_results", message: "add pages with: quarry crawl URL" }],
};

describe("quarry search", () => {
  verifies(["cli:search:json-type"], "sends what the options say and prints the reply with --json", async () => {
    const api = await serveApi(() => ({ body: REPLY }));
    const args = [
      "when",
      "did Etna erupt",
      "--type",
      "deep",
      "--num",
      "5",
      "--include",
      "a.example",
      "--text",
      "--json",
    ];
    const run = await cliWorld().run("search", ...args, "--since", "2025-01-01", "--also", "Etna", "--url", api.url);
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, REPLY]);
    expect(api.seen[0]).toMatchObject({ method: "POST", url: "/search" });
    expect(api.seen[0]?.body).toEqual({
      query: "when did Etna erupt",
      type: "deep",
      additionalQueries: ["Etna"],
      numResults: 5,
      includeDomains: ["a.example"],
      startPublishedDate: "2025-01-01",
      contents: { highlights: true, text: true },
    });
  });

  verifies(
    "cli:search:highlights",
    "shows highlights, the query's words in bold on a terminal, nothing harmful",
    async () => {
      const api = await serveApi(() => ({ body: REPLY }));
      const plain = await cliWorld().run("search", "erupt", "--url", api.url);
      expect(plain).toEqual({
        code: 0,
        stdout:
          "1. Etna\n   https://a.example/etna\n   2025-03-01 · Ada · 0.912\n   ▸ The volcano [31mErupted in 2021.\n",
        stderr: "warning: add pages with: quarry crawl URL\n",
      });
      const coloured = await cliWorld({ terminal: true }).run("search", "erupted volcano", "--url", api.url);
      expect(coloured.stdout).toContain("\u001B[1mEtna\u001B[0m");
      expect(coloured.stdout).toContain("The \u001B[1mvolcano\u001B[0m");
      expect(coloured.stdout).not.toContain("\u001B[31m");
    },
  );

  it("says so when there is nothing", async () => {
    const api = await serveApi(() => ({ body: { ...REPLY, results: [], warnings: undefined } }));
    const run = await cliWorld().run("search", "nothing", "--no-highlights", "--url", api.url);
    expect(run).toEqual({ code: 0, stdout: "No results.\n", stderr: "" });
    expect(api.seen[0]?.body).toEqual({ query: "nothing", contents: {} });
  });

  it.each([
    [["--type", "telepathy"], "telepathy"],
    [["--num", "0"], "whole number from 1 to 100"],
    [["--since", "soon"], "Expected a date"],
  ])("ends with 2 on %j", async (args, words) => {
    const run = await cliWorld().run("search", "x", ...args);
    expect([run.code, run.stdout, run.stderr.includes(words)]).toEqual([2, "", true]);
  });

  it.each([
    [429, 5],
    [401, 3],
    [503, 1],
  ])("ends on status %i with %i", async (status, code) => {
    const api = await serveApi(() => ({ status, body: { requestId: "r", error: "no", tag: "T" } }));
    expect((await cliWorld().run("search", "x", "--url", api.url)).code).toBe(code);
  });
});

describe("quarry similar", () => {
  it("asks for pages like a page", async () => {
    const api = await serveApi(() => ({ body: { ...REPLY, resolvedSearchType: "neural", warnings: undefined } }));
    const run = await cliWorld().run("similar", "https://e.org/", "--other-sites", "-n", "3", "--url", api.url);
    expect([run.code, run.stdout.split("\n")[0]]).toEqual([0, "1. Etna"]);
    expect(api.seen[0]).toMatchObject({
      url: "/findSimilar",
      body: { url: "https://e.org/", excludeSourceDomain: true, numResults: 3 },
    });
  });
});

describe("quarry contents", () => {
  const ok = { id: RESULT.url, status: "success", source: "cached" };
  const bad = { id: "https://x.example/", status: "error", error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 } };
  const reply = (statuses: readonly unknown[], results: readonly unknown[]) => ({
    body: { requestId: "r", results, statuses, searchTime: 1, costDollars: { total: 0 } },
  });
  const page = { ...RESULT, text: "# Etna\n\nIt erupts." };

  verifies(
    ["cli:contents:command", "cli:exit:partial"],
    "shows the text, and tells by its exit code what is missing",
    async () => {
      const api = await serveApi(() => reply([ok, bad], [page]));
      const args = [RESULT.url, "https://x.example/", "--max-characters", "500", "--fresh"];
      const run = await cliWorld().run("contents", ...args, "--url", api.url);
      expect(run).toEqual({
        code: 6,
        stdout: "Etna\nhttps://a.example/etna\n\n# Etna\n\nIt erupts.\n",
        stderr: "warning: https://x.example/ could not be read: CRAWL_NOT_FOUND\n",
      });
      expect(api.seen[0]?.body).toEqual({
        urls: [RESULT.url, "https://x.example/"],
        text: { maxCharacters: 500 },
        maxAgeHours: 0,
      });
    },
  );

  it("ends with 4 when no page could be read", async () => {
    const api = await serveApi(() => reply([bad], []));
    expect((await cliWorld().run("contents", "https://x.example/", "--cached", "--url", api.url)).code).toBe(4);
    expect(api.seen[0]?.body).toMatchObject({ maxAgeHours: -1 });
  });

  it("asks for the best sentences, or a summary", async () => {
    const api = await serveApi(() => reply([ok], [{ ...page, text: undefined, summary: "It erupts." }]));
    const run = await cliWorld().run("contents", RESULT.url, "--query", "lava", "--summary", "--url", api.url);
    expect([run.code, run.stdout.endsWith("It erupts.\n")]).toEqual([0, true]);
    expect(api.seen[0]?.body).toEqual({
      urls: [RESULT.url],
      summary: { query: "lava" },
      highlights: { query: "lava" },
    });
  });
});
