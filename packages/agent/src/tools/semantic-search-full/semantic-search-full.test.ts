import { appendFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { commitAll, createTopicEmbedder } from "../../testing-code.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { semanticSearchFullTool } from "./semantic-search-full.ts";

const FILES = {
  "src/invoice.ts": [
    "import { Money } from './money.ts';",
    "",
    "/** Adds the tax to an invoice. */",
    "export function addTaxToInvoice(invoice: Invoice, rate: number): Money {",
    "  return invoice.total * (1 + rate);",
    "}",
    "",
    "export class InvoiceStore {",
    "  save(invoice: Invoice): void {",
    "    this.rows.push(invoice);",
    "  }",
    "}",
  ].join("\n"),
  "src/session.py": "def open_session(user):\n    token = sign_token(user)\n    return Session(token)\n",
  "docs/notes.md": "# Notes\n\nHow the office is cleaned, and who waters the plants.\n",
  "big.csv": `invoice tax\n${"1,2,3\n".repeat(200_000)}`,
  ".env": "TAX_INVOICE_SECRET=1",
  ".cursorignore": "private/\n",
  "private/tax.ts": "export const invoiceTax = 1;\n",
};

const paths = (result: JsonObject): readonly string[] =>
  ((result["codeResults"] ?? []) as { codeBlock: { relativeWorkspacePath: string } }[]).map(
    ({ codeBlock }) => codeBlock.relativeWorkspacePath,
  );

describe("semantic_search_full", () => {
  verifies(
    [
      "tools:semantic-search-full:params:query",
      "tools:semantic-search-full:params:include-pattern",
      "tools:semantic-search-full:params:exclude-pattern",
      "tools:semantic-search-full:params:top-k",
      "tools:semantic-search-full:params:repository-info",
      "tools:semantic-search-full:params:explanation",
      "tools:semantic-search-full:result:code-results",
      "tools:semantic-search-full:result:all-files",
      "tools:semantic-search-full:result:missing-files",
    ],
    "finds ranges of files by words, with what stands there now, and never what is kept from tools",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = semanticSearchFullTool(deps);
        const result = await run(tool, {
          query: "where are taxes added to invoices?",
          explanation: "looking for the tax",
          repositoryInfo: { repoName: "shop", isLocal: true },
        });
        expect(result["codeResults"]).toMatchObject([
          {
            codeBlock: {
              relativeWorkspacePath: "src/invoice.ts",
              range: { startPosition: { line: 1, column: 1 }, endPosition: { line: 12, column: 2 } },
              contents: FILES["src/invoice.ts"],
              fileContentsLength: FILES["src/invoice.ts"].length,
              signatures: { ranges: [{ startPosition: { line: 4, column: 1 } }, {}, {}] },
            },
            score: 1,
          },
        ]);
        expect(result["allFiles"]).toEqual([
          { relativeWorkspacePath: "src/invoice.ts", contents: FILES["src/invoice.ts"] },
        ]);
        expect(result["missingFiles"]).toEqual([
          { relativeWorkspacePath: "big.csv", missingReason: "MISSING_REASON_TOO_LARGE" },
        ]);
        const both = { query: "session invoice" };
        expect(paths(await run(tool, both)).toSorted()).toEqual(["src/invoice.ts", "src/session.py"]);
        expect(paths(await run(tool, { ...both, includePattern: "*.py" }))).toEqual(["src/session.py"]);
        expect(paths(await run(tool, { ...both, excludePattern: "src/*.{py,rb}" }))).toEqual(["src/invoice.ts"]);
        expect(paths(await run(tool, { ...both, topK: 1 }))).toHaveLength(1);
        // The explanation changes nothing here: the whole call, arguments and all, is a row of the audit log.
        expect(tool.schema["properties"]).toHaveProperty("explanation");
        expect(tool.toAgentResult({}, { kind: "succeeded", result })).toMatchObject({
          success: { results: expect.stringMatching(/^src\/invoice\.ts:1-12\nimport/) as string },
        });
        expect(tool.fromAgentArgs?.({ query: "q", targetDirectories: ["src", "lib"] })).toMatchObject({
          query: "q",
          includePattern: "src,lib",
        });
      }),
  );

  verifies("tools:semantic-search-full:params:top-k", "gives 10 results by default and never more than 30", () =>
    withWorkspace(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`f${at}.py`, `def parse_${at}(text):\n    return text\n`]),
      ),
      async ({ deps, run }) => {
        const tool = semanticSearchFullTool(deps);
        const counts = [{}, { topK: 25 }, { topK: 99 }].map((topK) => run(tool, { query: "parse text", ...topK }));
        expect((await Promise.all(counts)).map((result) => paths(result).length)).toEqual([10, 25, 30]);
      },
    ),
  );

  verifies(
    "tools:semantic-search-full:behaviour:incremental",
    "sees every file as it is now, and reads again only what changed",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = semanticSearchFullTool(deps);
        const find = async (query: string) => paths(await run(tool, { query, topK: 1 }));
        expect(await find("token")).toEqual(["src/session.py"]);
        appendFileSync(path.join(root, "src/invoice.ts"), "\nexport function refundToken() {}\n");
        writeFileSync(path.join(root, "src/new.go"), "package p\n\nfunc WaterPlants() {}\n");
        rmSync(path.join(root, "src/session.py"));
        expect(await find("refund token")).toEqual(["src/invoice.ts"]);
        expect(await find("water plants go")).toEqual(["src/new.go"]);
        expect(await find("open session")).toEqual([]);
        // The same size and the same time stamp, within the same moment.
        const file = path.join(root, "src/new.go");
        const now = new Date();
        for (const name of ["AbcdePlants", "XyzzyPlants"]) {
          writeFileSync(file, `package p\n\nfunc ${name}() {}\n`);
          utimesSync(file, now, now);
          expect(await find(name.slice(0, 5))).toEqual(["src/new.go"]);
        }
      }),
  );

  it("finds by meaning where there is a model, keeps its vectors, and says so where there is none", async () => {
    const embedder = createTopicEmbedder([/invoice|billing/i, /session|login/i, /plant|garden/i]);
    await withWorkspace(
      FILES,
      async ({ deps, run }) => {
        const tool = semanticSearchFullTool(deps);
        await deps.code.indexes.embedAll(deps.rootsOf({ id: "", workspaceRoot: "", mode: "agent" })[0] ?? "", signal);
        const asked = embedder.texts.length;
        expect(paths(await run(tool, { query: "login", topK: 1 }))).toEqual(["src/session.py"]);
        expect(embedder.texts.slice(asked)).toEqual(["login"]);
      },
      { code: { embedder } },
    );
    await withWorkspace(FILES, async ({ deps }) => {
      const said = semanticSearchFullTool(deps).run({ query: "login" }, contextOf());
      expect((await said.next()).value).toEqual({
        kind: "progress",
        message: "Searched by words and symbols alone: there is no embedding model on this machine.",
      });
    });
  });

  verifies(
    [
      "tools:semantic-search-full:params:code-results",
      "tools:semantic-search-full:params:pr-references",
      "tools:semantic-search-full:params:pr-search-on",
      "tools:semantic-search-full:result:pr-results",
      "tools:semantic-search-full:result:git-remote-url",
      "tools:semantic-search-full:result:knowledge-results",
    ],
    "ranks given results with the others, and adds commits, the remote and knowledge",
    () =>
      withWorkspace(
        {
          ...FILES,
          "big.csv": "",
          ".git/config": '[remote "origin"]\n\turl = https://me:secret@git.example.org/shop.git\n',
        },
        async ({ root, deps, run }) => {
          commitAll(root, "Start the shop");
          writeFileSync(path.join(root, "src/session.py"), "def open_session(user):\n    return cookie_of(user)\n");
          const sha = commitAll(root, "Keep sessions in cookies (#12)\n\nThe token was lost.");
          const tool = semanticSearchFullTool(deps);
          const given = { codeBlock: { relativeWorkspacePath: "docs/notes.md" }, score: 0.9 };
          const gone = { codeBlock: { relativeWorkspacePath: "src/gone.ts" }, score: 0.9 };
          const result = await run(tool, {
            query: "session cookie",
            prReferences: [{ sha: sha.slice(0, 8), score: 0.5 }],
            codeResults: [given, gone],
          });
          expect(paths(result)).toEqual(["src/session.py", "docs/notes.md"]);
          expect(result["missingFiles"]).toContainEqual({
            relativeWorkspacePath: "src/gone.ts",
            missingReason: "MISSING_REASON_NOT_FOUND",
          });
          expect(result).toMatchObject({
            gitRemoteUrl: "https://git.example.org/shop.git",
            knowledgeResults: [{ title: "About sessions", knowledge: "team asked for session cookie" }],
            prResults: [
              {
                sha,
                score: 0.5,
                title: "Keep sessions in cookies (#12)",
                summary: "The token was lost.",
                prNumber: 12,
                changedFiles: ["src/session.py"],
                author: "Ada",
                fullPrContents: expect.stringContaining("+    return cookie_of(user)") as string,
              },
            ],
          });
          const searched = await run(tool, { query: "lost token", prSearchOn: true });
          expect(searched["prResults"]).toMatchObject([{ sha }, { title: "Start the shop" }]);
          // A secret that was committed is not shown, although the commit is.
          expect(JSON.stringify(searched)).not.toMatch(/TAX_INVOICE_SECRET|invoiceTax/);
          expect(await run(tool, { query: "lost token" })).not.toHaveProperty("prResults");
        },
        {
          code: {
            findKnowledge: ({ teamId, query }) =>
              Promise.resolve([{ title: "About sessions", knowledge: `${teamId} asked for ${query}` }]),
          },
        },
      ),
  );

  verifies("tools:semantic-search-full:result:pr-hydration-timed-out", "says when git did not answer in time", () =>
    withWorkspace(
      FILES,
      async ({ root, deps, run }) => {
        commitAll(root, "Start the shop");
        const result = await run(semanticSearchFullTool(deps), { query: "invoice", prSearchOn: true });
        expect(result).toMatchObject({ prHydrationTimedOut: true, codeResults: [{}] });
      },
      { code: { gitTimeoutMs: 0 } },
    ),
  );
});

const { signal } = new AbortController();

function contextOf() {
  return {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" as const },
    toolCallId: "call",
    signal,
    earlierResults: () => Promise.resolve([]),
  };
}
