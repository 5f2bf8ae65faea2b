import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import type { Tool, ToolContext, ToolEnd, ToolOutput } from "../tool.ts";
import type { FoundPage, WebDeps } from "./web-deps.ts";
import { webTools } from "./web-tools.ts";

const PAGE: FoundPage = {
  url: "https://a.example/p",
  title: "A page",
  text: "Lighthouses warn ships. ",
  publishedDate: "2024-05-01T00:00:00.000Z",
};
const AWAY = "it redirects to https://b.example/ on another host, which was not followed; ask for that address";

describe("exa_search", () => {
  verifies(
    [
      "tools:exa-search:args:query",
      "tools:exa-search:args:type",
      "tools:exa-search:args:type-empty",
      "tools:exa-search:args:num-results",
      "tools:exa-search:args:num-results-zero",
    ],
    "passes on what is looked for, how, and how many; nothing means auto and ten",
    async () => {
      const { asked } = await runTool("exa_search", { query: "ships", type: "neural", numResults: 3 });
      expect(asked).toEqual([{ teamId: "team", query: "ships", type: "neural", limit: 3 }]);
      const plain = await runTool("exa_search", { query: "ships", type: "", numResults: 0 });
      expect(plain.asked).toEqual([{ teamId: "team", query: "ships", type: "auto", limit: 10 }]);
    },
  );

  verifies(
    [
      "tools:exa-search:result:references-title",
      "tools:exa-search:result:references-url",
      "tools:exa-search:result:references-text",
      "tools:exa-search:result:references-published-date",
    ],
    "gives title, address, excerpt and date of each result, and no date that is not known",
    async () => {
      const { end, tool } = await runTool(
        "exa_search",
        { query: "ships" },
        { found: [PAGE, { ...PAGE, publishedDate: "" }] },
      );
      const result = tool.toAgentResult({}, end);
      expect(result).toMatchObject({
        success: {
          references: [
            { title: "A page", url: PAGE.url, publishedDate: "2024-05-01T00:00:00.000Z" },
            { title: "A page", url: PAGE.url, publishedDate: "" },
          ],
        },
      });
      expect(textsOf(result)[0]).toContain("Lighthouses warn ships.");
    },
  );

  verifies(
    ["tools:exa-search:result:error", "tools:exa-search:result:rejected"],
    "tells a failure in a sentence, and a refusal with its reason",
    async () => {
      const { end, tool, asked } = await runTool("exa_search", { query: "  " });
      expect(asked).toEqual([]);
      expect(tool.toAgentResult({}, end)).toMatchObject({
        error: { error: expect.stringContaining("query must not be empty") as unknown },
      });
      const many = await runTool("exa_search", { query: "x", numResults: 101 });
      expect(JSON.stringify(many.end)).toContain("numResults must be 0 to 100");
      for (const [name, field] of [
        ["exa_search", "query"],
        ["web_search", "searchTerm"],
      ] as const) {
        const long = await runTool(name, { [field]: "x".repeat(20_001) });
        expect(long.asked).toEqual([]);
        expect(JSON.stringify(long.end)).toContain(`${field} must have at most 20000 characters, not 20001`);
      }
      const rejected = { kind: "rejected", reason: "too dear", review: null } as const;
      expect(tool.toAgentResult({}, rejected)).toEqual({ rejected: { reason: "too dear" } });
      expect(tool.refuse({}, "too dear")).toEqual({ rejected: { reason: "too dear" } });
    },
  );
});

describe("exa_fetch", () => {
  verifies(
    [
      "tools:exa-fetch:args:ids",
      "tools:exa-fetch:result:contents-title",
      "tools:exa-fetch:result:contents-url",
      "tools:exa-fetch:result:contents-text",
      "tools:exa-fetch:result:contents-published-date",
    ],
    "reads the pages whose addresses are the ids, with a page that failed among them said so",
    async () => {
      const { end, asked, tool } = await runTool("exa_fetch", { ids: [PAGE.url, "https://gone.example/"] });
      expect(asked).toMatchObject([{ teamId: "team", urls: [PAGE.url, "https://gone.example/"] }]);
      const result = tool.toAgentResult({}, end);
      expect(result).toMatchObject({
        success: {
          contents: [
            { title: "A page", url: PAGE.url, publishedDate: "2024-05-01T00:00:00.000Z" },
            { url: "https://gone.example/", text: "This page could not be read: not there" },
          ],
        },
      });
      expect(textsOf(result)[0]).toContain("Lighthouses warn ships.");
    },
  );

  verifies(
    ["tools:exa-fetch:result:error", "tools:exa-fetch:result:rejected"],
    "tells a failure in a sentence, and a refusal with its reason",
    async () => {
      for (const [ids, why] of [
        [[], "ids must be 1 to 20"],
        [["ftp://a.example/"], "is no http(s) address"],
        [["https://gone.example/"], "No page could be read"],
      ] as const) {
        const { end, tool } = await runTool("exa_fetch", { ids: [...ids] });
        expect(tool.toAgentResult({}, end)).toMatchObject({
          error: { error: expect.stringContaining(why) as unknown },
        });
      }
      const rejected = { kind: "rejected", reason: "not that host", review: null } as const;
      expect(toolOf("exa_fetch").toAgentResult({}, rejected)).toEqual({ rejected: { reason: "not that host" } });
    },
  );

  verifies("tools:exa-fetch:args:unseen-id", "marks an address that no search of the session gave", async () => {
    const earlier = { success: { references: [{ url: PAGE.url }] } };
    const facts = await toolOf("exa_fetch").inspect(
      { ids: [PAGE.url, "https://new.example/"] },
      { ...context(), earlierResults: () => Promise.resolve([earlier]) },
    );
    expect(facts.notes).toEqual(["https://new.example/ is not from a search of this session"]);
    expect(facts.hosts).toEqual(["a.example", "new.example"]);
  });
});

describe("web_search", () => {
  verifies(
    [
      "tools:web-search:params:search-term",
      "tools:web-search:result:references",
      "tools:web-search:result:is-final",
      "tools:web-search:result:rejected",
      "tools:web-search:result:references-title",
      "tools:web-search:result:references-url",
      "tools:web-search:result:references-chunk",
    ],
    "gives quick results first and at most ten final ones",
    async () => {
      const { said, end, asked, tool } = await runTool("web_search", { searchTerm: "ships" });
      expect(asked).toEqual([
        { teamId: "team", query: "ships", limit: 10, type: "fast" },
        { teamId: "team", query: "ships", limit: 10, type: "auto" },
      ]);
      const [partial] = said.flatMap((output) => (output.kind === "output" ? [output] : []));
      expect(partial?.channel).toBe("partial-result");
      expect(JSON.parse(partial?.text ?? "")).toMatchObject({ isFinal: false, references: [{ url: PAGE.url }] });
      expect(resultOf(end)).toMatchObject({ isFinal: true, references: [{ title: "A page", url: PAGE.url }] });
      expect(JSON.stringify(resultOf(end))).toContain("Lighthouses warn ships.");
      expect(tool.refuse({}, "no")).toEqual({ isFinal: true, rejected: true });
    },
  );
});

describe("web_fetch and fetch", () => {
  verifies(
    ["tools:web-fetch:params:url", "tools:web-fetch:result:url", "tools:web-fetch:result:markdown"],
    "read one page as Markdown",
    async () => {
      const { end, asked } = await runTool("web_fetch", { url: PAGE.url });
      expect(asked).toMatchObject([{ urls: [PAGE.url] }]);
      expect(resultOf(end)).toMatchObject({
        url: PAGE.url,
        markdown: expect.stringContaining("Lighthouses warn ships.") as unknown,
      });
    },
  );

  verifies(
    ["tools:fetch:args:url", "tools:fetch:result:success", "tools:fetch:result:error", "tools:web-fetch:result:error"],
    "say what came and of which kind, or the address and why nothing came",
    async () => {
      const { end } = await runTool("fetch", { url: PAGE.url });
      expect(resultOf(end)).toMatchObject({
        success: {
          url: PAGE.url,
          content: expect.stringContaining("Lighthouses warn ships.") as unknown,
          statusCode: 200,
          contentType: "text/markdown",
        },
      });
      for (const name of ["fetch", "web_fetch"]) {
        const args = { url: "https://gone.example/" };
        const failed = await runTool(name, args);
        expect(failed.tool.toAgentResult(args, failed.end)).toMatchObject({
          error: { url: args.url, error: expect.stringContaining("not there") as unknown },
        });
        const wrong = await runTool(name, { url: "file:///etc/passwd" });
        expect(wrong.asked).toEqual([]);
        expect(JSON.stringify(wrong.end)).toContain("is no http(s) address");
      }
      expect(toolOf("web_fetch").refuse({ url: PAGE.url }, "no")).toEqual({
        url: PAGE.url,
        error: "The person declined: no",
      });
    },
  );

  verifies(
    "tools:web-fetch:behaviour:cross-host-redirect",
    "name the other host that a page redirects to, for the agent to ask for",
    async () => {
      const { end } = await runTool("web_fetch", { url: "https://away.example/" });
      expect(JSON.stringify(end)).toContain("it redirects to https://b.example/ on another host");
    },
  );
});

describe("the web tools", () => {
  verifies(
    ["tools:web:text:untrusted", "tools:web:text:sized", "security:agent:page-text-untrusted"],
    "fence every text of a page, and cut it to what there is room for",
    async () => {
      const found = [{ ...PAGE, text: "x".repeat(100_000) }];
      for (const [name, args, most] of [
        ["exa_search", { query: "ships" }, 1_000],
        ["exa_fetch", { ids: [PAGE.url] }, 60_000],
        ["web_search", { searchTerm: "ships" }, 1_000],
        ["web_fetch", { url: PAGE.url }, 40_000],
        ["fetch", { url: PAGE.url }, 40_000],
      ] as const) {
        const { end } = await runTool(name, structuredClone(args) as JsonObject, { found });
        const said = JSON.stringify(resultOf(end));
        expect(said.match(/x{100,}/)?.[0].length, name).toBe(most);
        expect(said, name).toMatch(/<untrusted-web-text [0-9a-f]{12} source=/);
        expect(said, name).toMatch(/more characters were left out\]\\n<\/untrusted-web-text [0-9a-f]{12}>/);
      }
    },
  );
});

interface Ran {
  readonly tool: Tool;
  readonly asked: readonly unknown[];
  readonly said: readonly ToolOutput[];
  readonly end: ToolEnd;
}

async function runTool(
  name: string,
  args: JsonObject,
  world: { readonly found?: readonly FoundPage[] } = {},
): Promise<Ran> {
  const found = world.found ?? [PAGE];
  const asked: unknown[] = [];
  const tool = toolOf(name, {
    search: (wish) => {
      asked.push(wish);
      return Promise.resolve(found);
    },
    readContents: (wish) => {
      asked.push(wish);
      return Promise.resolve(
        wish.urls.map((url) => {
          const page = found.find((each) => each.url === url);
          const reason = url.includes("away") ? AWAY : "not there";
          return page === undefined ? { kind: "failed", url, reason } : { kind: "read", ...page };
        }),
      );
    },
  });
  const said: ToolOutput[] = [];
  const running = tool.run(args, context());
  for (;;) {
    const { done, value } = await running.next();
    if (done === true) return { tool, asked, said, end: value };
    said.push(value);
  }
}

function toolOf(name: string, deps?: WebDeps): Tool {
  const unused = (): never => {
    throw new Error("nothing is asked of the web here");
  };
  const tool = webTools(deps ?? { search: unused, readContents: unused }).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return tool;
}

function context(): ToolContext {
  return {
    teamId: "team",
    session: { id: "s", workspaceRoot: "", mode: "agent" },
    toolCallId: "c",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
}

function resultOf(end: ToolEnd): JsonObject {
  if (end.kind !== "succeeded") throw new Error(JSON.stringify(end));
  return end.result;
}

/** The texts of all references or contents. */
function textsOf(result: unknown): readonly string[] {
  return [...JSON.stringify(result).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? "");
}
