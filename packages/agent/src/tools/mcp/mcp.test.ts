import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { beforeAll, describe, expect, it } from "vitest";
import { warmSdk, withMcp, type McpWorld } from "../../mcp-client/testing-mcp.ts";
import { createToolRegistry } from "../../tool-registry.ts";
import { validateCall } from "../../validate-call.ts";
import { mcpTool } from "./mcp.ts";

const echoSchema = JSON.stringify({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});
const echo = { name: "echo", description: "Says it again", parameters: echoSchema, serverName: "test" };
const long = { name: "long", description: "", parameters: "{}", serverName: "test" };

/** The call as a door hands it over, and the tool that takes it. */
function spoken(
  world: McpWorld,
  given: { readonly name?: string; readonly params?: JsonObject; readonly raw?: unknown },
) {
  const tool = mcpTool({ ...world.deps, mcp: world.mcp });
  const valid = validateCall(createToolRegistry([tool]), {
    clientTool: ClientSideToolV2.MCP,
    name: given.name ?? "",
    params: given.params === undefined ? undefined : { member: "mcpParams", args: given.params },
    rawArgs: given.raw === undefined ? "" : JSON.stringify(given.raw),
  });
  if (valid.kind === "invalid") throw new Error(valid.error.model);
  return { tool, args: valid.args };
}

beforeAll(warmSdk);

describe("mcp", () => {
  verifies(
    [
      "tools:mcp:params:tools",
      "tools:mcp:params:tools-name",
      "tools:mcp:params:tools-parameters",
      "tools:mcp:params:tools-server-name",
      "tools:mcp:result:selected-tool",
      "tools:mcp:result:result",
    ],
    "calls the tool that is named, of those on offer, with arguments that fit its schema",
    () =>
      withMcp({}, async (world) => {
        const params = { tools: [long, echo] };
        const { tool, args } = spoken(world, { name: "mcp_test_echo", params, raw: { text: "hi" } });
        // What a person is asked about is this call alone.
        expect(args).toEqual({ tools: [{ ...echo, parameters: '{"text":"hi"}' }] });
        expect((await world.call(tool, args)).result).toEqual({ selectedTool: "echo", result: "echo: hi" });

        expect(() => spoken(world, { name: "echo", params, raw: { text: 1 } })).toThrow(/text must be string/);
        expect(() => spoken(world, { name: "other", params, raw: {} })).toThrow(
          /offers test:long, test:echo and names none/,
        );
        const bad = { tools: [{ ...echo, parameters: '{"type": 5}' }] };
        expect(() => spoken(world, { params: bad, raw: { text: "x" } })).toThrow(/no JSON Schema/);
        expect(() => spoken(world, { params: { tools: [] }, raw: {} })).toThrow(/offers no tools/);
        const away = spoken(world, { params: { tools: [{ ...echo, serverName: "away" }] }, raw: { text: "x" } });
        await expect(world.call(away.tool, away.args)).rejects.toThrow(/no MCP server away/);

        // As plain JSON; and the form in which one tool carries its own arguments.
        const plain = { tools: [{ ...echo, serverName: undefined, server_name: "test" }], arguments: { text: "2" } };
        expect(spoken(world, { raw: plain }).args).toEqual({ tools: [{ ...echo, parameters: '{"text":"2"}' }] });
        const own = { tools: [{ ...echo, parameters: '{"text":"3"}' }] };
        expect(spoken(world, { params: own }).args).toEqual(own);
      }),
  );

  verifies("tools:mcp:params:tools-description", "asks when the model was told something else of the tool", () =>
    withMcp({}, async (world) => {
      const same = spoken(world, { params: { tools: [echo] }, raw: { text: "x" } });
      expect((await world.call(same.tool, same.args)).facts.alwaysAsk).toBeUndefined();
      const told = { ...echo, description: "Harmless" };
      const other = spoken(world, { params: { tools: [told] }, raw: { text: "x" } });
      expect((await world.call(other.tool, other.args)).facts.alwaysAsk).toEqual([
        "test:echo describes itself otherwise than the model was told",
      ]);
    }),
  );

  verifies("tools:mcp:params:file-output-threshold-bytes", "puts output over the limit into a file", () =>
    withMcp({}, async (world) => {
      const call = async (fileOutputThresholdBytes: string): Promise<string> => {
        const params = { tools: [long], fileOutputThresholdBytes };
        const { tool, args } = spoken(world, { params, raw: { lines: 2_000 } });
        const { result } = await world.call(tool, args);
        return typeof result["result"] === "string" ? result["result"] : "";
      };
      const whole = await call("30000");
      expect(whole.split("\n")).toHaveLength(2_000);
      const cut = await call("10000");
      const [, file = ""] = /all of it is in (\S+)\)/.exec(cut) ?? [];
      expect(readFileSync(path.join(world.root, file), "utf8")).toBe(whole);
      expect(existsSync(path.join(world.root, ".quarry-output", ".gitignore"))).toBe(true);
    }),
  );

  it("keeps an image in a file, and says what the tool reports as wrong", () =>
    withMcp({}, async (world) => {
      const run = async (name: string) => {
        const params = { tools: [{ name, serverName: "test" }] };
        const { tool, args } = spoken(world, { params });
        return (await world.call(tool, args)).result["result"] as string;
      };
      const [, file = ""] = /^\[image image\/png, \d+ bytes, in (\S+)\]$/.exec(await run("picture")) ?? [];
      expect(readFileSync(path.join(world.root, file)).subarray(1, 4).toString()).toBe("PNG");
      expect(await run("fail")).toBe("The tool reported an error: the disk is full");
    }));
});
