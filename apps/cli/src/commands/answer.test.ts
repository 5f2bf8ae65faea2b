import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { cliWorld, serveApi, type ApiAnswer } from "../testing.ts";

const REFERENCE = {
  url: "https://bridge.example/",
  title: "The bridge",
  snippet: "It opened in 1883.",
  snapshotId: "sha256-1",
  extractorVersion: "1",
  start: 0,
  end: 18,
};
const CITATIONS = [
  { id: "https://river.example/", url: "https://river.example/", title: "The river", author: null },
  { id: REFERENCE.url, url: REFERENCE.url, title: REFERENCE.title, author: null },
];

function piece(content: string, ...urls: readonly string[]): object {
  const references = urls.map((url) => ({ ...REFERENCE, url }));
  return { choices: [{ index: 0, delta: { content }, finish_reason: null }], quarry: { references } };
}

function stream(...frames: readonly object[]): ApiAnswer {
  const body = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
  return { headers: { "content-type": "text/event-stream" }, body };
}

describe("quarry answer", () => {
  verifies(
    "cli:answer:command",
    "writes each sentence with its sources as it comes, and the whole reply with --json",
    async () => {
      const api = await serveApi(({ body }) =>
        (body as { stream?: boolean }).stream === true
          ? stream(
              piece("It opened\u001B[31m in 1883.", REFERENCE.url),
              piece(" It spans a river.", "https://river.example/", REFERENCE.url),
              { citations: CITATIONS },
              { costDollars: { total: 0 }, requestId: "0", quarry: { mode: "extractive", warnings: [] } },
            )
          : {
              body: {
                requestId: "0",
                answer: "It opened in 1883.",
                citations: CITATIONS,
                costDollars: { total: 0 },
                quarry: { mode: "extractive", warnings: [] },
              },
            },
      );
      const live = await cliWorld().run("answer", "When did it open?", "--url", api.url);
      expect(live).toEqual({
        code: 0,
        stdout:
          "It opened [31m in 1883. [1] It spans a river. [2][1]\n\n" +
          "[1] The bridge\n    https://bridge.example/\n[2] The river\n    https://river.example/\n",
        stderr: "",
      });
      const whole = await cliWorld().run("answer", "When did it open?", "--json", "--url", api.url);
      expect(JSON.parse(whole.stdout)).toMatchObject({ answer: "It opened in 1883.", citations: [{}, {}] });
    },
  );

  verifies("cli:answer:command", "fails when the stream tells of an error, or breaks off", async () => {
    const failing = await serveApi(() =>
      stream(piece("It", REFERENCE.url), {
        tag: "ERROR",
        payload: { error: { code: 502, message: "the model left" } },
      }),
    );
    const failed = await cliWorld().run("answer", "Why?", "--url", failing.url);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("the model left")]);
    const broken = await serveApi(() => stream(piece("It", REFERENCE.url)));
    const cut = await cliWorld().run("answer", "Why?", "--url", broken.url);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining("broke off")]);
  });
});

describe("quarry research", () => {
  verifies("cli:research:command", "tells what it does on stderr and writes the report on stdout", async () => {
    const stamps = { researchId: "research_1", createdAt: 1 };
    const base = { ...stamps, status: "completed", model: "exa-research", instructions: "Why?" };
    const output = { content: "# Why?\n\nBecause. [[1]](https://a.example/)\n" };
    const event = (given: object): string =>
      `event: ${(given as { eventType: string }).eventType}\ndata: ${JSON.stringify({ ...stamps, ...given })}\n\n`;
    const place = { planId: "plan_1", taskId: "task_1" };
    const operation = { eventType: "task-operation", ...place, operationId: "operation_1" };
    const search = { type: "search", searchType: "auto", query: "why", results: [], pageTokens: 0 };
    const api = await serveApi(({ method, url }) => {
      if (method === "POST") return { status: 201, body: { ...base, status: "pending" } };
      if (!url.includes("stream=true")) return { body: { ...base, finishedAt: 2, output } };
      const body =
        event({ eventType: "task-definition", ...place, instructions: "Why?" }) +
        event({ ...operation, data: search }) +
        event({ ...operation, data: { type: "crawl", result: { url: "https://a.example/" }, pageTokens: 1 } });
      return { headers: { "content-type": "text/event-stream" }, body };
    });
    const run = await cliWorld().run("research", "Why?", "--url", api.url);
    expect(run).toEqual({
      code: 0,
      stdout: output.content,
      stderr: "task    Why?\nsearch  why (0 pages)\nread    https://a.example/\n",
    });
    const whole = await cliWorld().run("research", "Why?", "--json", "--url", api.url);
    expect(JSON.parse(whole.stdout)).toMatchObject({ status: "completed", output });
  });
});
