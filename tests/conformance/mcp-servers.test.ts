import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { startLightEmbedder } from "../../tools/light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const CALL = "/quarry/v1/tools/call_mcp_tool/calls";
const search = (server: string) => ({ server, toolName: "search", toolArgs: { query: "lighthouse" } });

describe("MCP servers of the real server", () => {
  verifies(
    ["cli:mcp:stdio", "security:requests:origin-checked-mcp", "docs:llms:txt"],
    "asks Quarry's own MCP door, by program and by address, after a person's yes; no program outlives it",
    () =>
      withDataDirectory(async (directory) => {
        const workspace = path.join(directory, "workspace");
        mkdirSync(workspace);
        const embedder = await startLightEmbedder();
        const server = await startServerProcess(directory, {
          ...embedder.settings,
          QUARRY_WORKSPACE_ROOTS: workspace,
        });
        try {
          const cli = path.resolve("dist", "cli.js");
          const mcpServers = {
            own: { command: process.execPath, args: [cli, "mcp", "--url", server.url, "--key", server.key] },
            away: { url: `${server.url}/mcp`, headers: { "x-api-key": server.key } },
          };
          writeFileSync(path.join(directory, "mcp.json"), JSON.stringify({ mcpServers }));
          const expectFound = (reply: unknown): void =>
            expect(reply, JSON.stringify(reply)).toMatchObject({
              body: { result: { isError: false, structuredContent: { query: "lighthouse" } } },
            });

          const first = server.call("POST", CALL, search("own"));
          const question = await answer(server, "always");
          expect(question.reasons.join("\n")).toContain("the tool says of itself:");
          expectFound(await first);
          // That yes was for this tool of this server: it is not asked again, and another server is.
          expectFound(await server.call("POST", CALL, search("own")));
          const away = server.call("POST", CALL, search("away"));
          await answer(server, "once");
          expectFound(await away);

          // The same door refuses a page of somewhere else, key or not, and llms.txt tells of it.
          const headers = { "x-api-key": server.key, origin: "https://elsewhere.example" };
          expect((await fetch(`${server.url}/mcp`, { method: "POST", headers })).status).toBe(403);
          const told = await (await fetch(`${server.url}/llms.txt`)).text();
          expect(told).toContain("[MCP](/mcp)");
          expect(told).toContain("quarry mcp");

          const programs = childrenOf(server.pid).filter((pid) => commandOf(pid).includes("cli.js"));
          expect(programs).toHaveLength(1);
          await server.kill();
          await expect.poll(() => programs.filter((pid) => commandOf(pid) !== ""), { timeout: 10_000 }).toEqual([]);
        } finally {
          await server.kill();
          await embedder.close();
        }
      }),
    120_000,
  );
});

/** Waits for the one open question and answers it. */
async function answer(server: ServerProcess, decision: string): Promise<{ id: string; reasons: string[] }> {
  for (;;) {
    const { body } = await server.call("GET", "/quarry/v1/approvals?status=pending");
    const [open] = (body as { data: { id: string; reasons: string[] }[] }).data;
    if (open !== undefined) {
      await server.call("POST", `/quarry/v1/approvals/${open.id}/answer`, { decision });
      return open;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((each) => Number.isInteger(each) && statOf(each).parent === pid);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } {
  try {
    const [state = "", parent = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return { state: "", parent: 0 }; // it has ended meanwhile
  }
}

/** Its command line; empty for a process that is over. */
function commandOf(pid: number): string {
  try {
    return statOf(pid).state === "Z" ? "" : readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}
