import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { describeTransport, readMcpConfig, type McpConfig, type McpServer } from "./mcp-config.ts";

/** Reads one file of this text. */
async function read(text: string, origin: McpServer["origin"] = "operator"): Promise<McpConfig> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-mcp-config-"));
  try {
    const file = path.join(directory, "mcp.json");
    writeFileSync(file, text);
    const files = [
      { path: path.join(directory, "none.json"), origin, directory },
      { path: file, origin, directory },
    ];
    return await readMcpConfig(files, { TOKEN: "secret" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const entry = (server: unknown) => JSON.stringify({ mcpServers: { a: server } });

describe("mcp.json", () => {
  it.each([
    ["{", "mcp.json: it is not JSON"],
    ["[]", 'mcp.json: it must be an object such as {"mcpServers": {…}}'],
    ["{}", "mcp.json: mcpServers is missing"],
    [entry({}), "mcp.json: mcpServers.a.command is missing"],
    [entry({ url: "ftp://x" }), 'mcp.json: mcpServers.a.url must match pattern "^https?://"'],
    [entry({ command: "x", timeoutMs: 0 }), "mcp.json: mcpServers.a.timeoutMs must be >= 1"],
    [entry({ command: "x", args: ["${NOWHERE}"] }), "the server a needs NOWHERE, which the environment does not have"],
  ])("says what is wrong with %s", async (text, problem) => {
    const { servers, problems } = await read(text);
    expect(servers).toEqual([]);
    expect(problems).toContain(problem);
  });

  it("refuses names that rules could not tell apart", async () => {
    for (const name of ["a:b", "a*", ""]) {
      const text = JSON.stringify({ mcpServers: { [name]: { command: "x" } } });
      expect((await read(text)).servers).toEqual([]);
    }
  });

  it("fills in the operator's environment for the operator alone", async () => {
    const text = entry({ url: "https://x.example/mcp", headers: { authorization: "Bearer ${env:TOKEN}" } });
    const headerOf = ({ servers: [server] }: McpConfig) =>
      server?.transport.kind === "http" ? server.transport.headers["authorization"] : undefined;
    expect(headerOf(await read(text))).toBe("Bearer secret");
    expect(headerOf(await read(text, "workspace"))).toBe("Bearer ${env:TOKEN}");
  });

  it("shows a command as a person would type it, without its secrets", async () => {
    const text = entry({ command: "npx", args: ["-y", "it's a server"], env: { KEY: "hidden" } });
    const [server] = (await read(text)).servers;
    expect(server && describeTransport(server.transport)).toBe(String.raw`KEY=… npx -y 'it'\''s a server'`);
  });
});
