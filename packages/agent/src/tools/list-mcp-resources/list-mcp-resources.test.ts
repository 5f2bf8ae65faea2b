import { verifies } from "@quarry/tests";
import { beforeAll, describe, expect } from "vitest";
import { TEST_SERVER, warmSdk, withMcp } from "../../mcp-client/testing-mcp.ts";
import { listMcpResourcesTool } from "./list-mcp-resources.ts";

const hello = {
  uri: "memo://hello",
  name: "hello",
  description: "A greeting",
  mimeType: "text/plain",
  server: "test",
  annotations: { audience: '["user"]', priority: "0.5" },
};
const dot = { uri: "memo://dot", name: "dot", mimeType: "image/png", server: "test", annotations: {} };

beforeAll(warmSdk);

describe("list_mcp_resources", () => {
  verifies(
    ["tools:list-mcp-resources:params:server", "tools:list-mcp-resources:result:resources"],
    "lists one server's resources or all, and says which could not be asked",
    () => {
      const own = { mcpServers: { own: { command: "node", args: [TEST_SERVER] } } };
      const more = { broken: { command: "no-such-program" }, off: { command: "node", disabled: true } };
      return withMcp({ more, files: { ".mcp.json": JSON.stringify(own) } }, async (world) => {
        const tool = listMcpResourcesTool({ ...world.deps, mcp: world.mcp });
        expect((await world.call(tool, { server: "test" })).result).toEqual({ resources: [hello, dot] });
        const all = await world.call(tool, {});
        expect(all.result).toEqual({ resources: [hello, dot] });
        expect(all.outputs).toEqual([
          { kind: "progress", message: expect.stringMatching(/broken .*does not start/) as string },
          { kind: "progress", message: "own was not asked: the workspace names it; ask for it by name" },
        ]);
        // Named, it is asked about, and after a yes it belongs to those that are listed.
        const named = await world.call(tool, { server: "own" });
        expect(named.facts.alwaysAsk).toHaveLength(1);
        expect((await world.call(tool, {})).result["resources"]).toHaveLength(4);
        await expect(world.call(tool, { server: "off" })).rejects.toThrow(
          /no MCP server off.*servers: test, broken, own/,
        );
        expect(tool.toAgentResult({}, { kind: "succeeded", result: { resources: [dot] } })).toEqual({
          success: { resources: [dot] },
        });
      });
    },
  );
});
