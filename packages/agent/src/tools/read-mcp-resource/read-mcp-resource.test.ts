import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { beforeAll, describe, expect } from "vitest";
import { warmSdk, withMcp } from "../../mcp-client/testing-mcp.ts";
import { readMcpResourceTool } from "./read-mcp-resource.ts";

beforeAll(warmSdk);

describe("read_mcp_resource", () => {
  verifies(
    [
      "tools:read-mcp-resource:params:server",
      "tools:read-mcp-resource:params:uri",
      "tools:read-mcp-resource:params:download-path",
      "tools:read-mcp-resource:result:uri",
      "tools:read-mcp-resource:result:name",
      "tools:read-mcp-resource:result:description",
      "tools:read-mcp-resource:result:mime-type",
      "tools:read-mcp-resource:result:text",
      "tools:read-mcp-resource:result:blob",
      "tools:read-mcp-resource:result:annotations",
    ],
    "reads text and bytes with what is said of them, or saves them inside the workspace",
    () =>
      withMcp({ files: { "old.txt": "mine" } }, async (world) => {
        const tool = readMcpResourceTool({ ...world.deps, mcp: world.mcp });
        const read = (uri: string, downloadPath?: string) =>
          world.call(tool, { server: "test", uri, ...(downloadPath === undefined ? {} : { downloadPath }) });
        const hello = await read("memo://hello");
        expect(hello.result).toEqual({
          uri: "memo://hello",
          name: "hello",
          description: "A greeting",
          mimeType: "text/plain",
          annotations: { audience: '["user"]', priority: "0.5" },
          text: "Hello, workspace",
        });
        expect(hello.facts.mcpTools).toEqual(["test:resources/read"]);
        const dot = await read("memo://dot");
        expect(dot.result).toMatchObject({ uri: "memo://dot", name: "dot", mimeType: "image/png" });
        const { blob = "" } = dot.result as { blob?: string };
        expect(Buffer.from(blob, "base64").subarray(1, 4).toString()).toBe("PNG");

        const saved = await read("memo://hello", "notes/hello.txt");
        expect(saved.facts.paths).toEqual(["notes/hello.txt"]);
        expect(saved.result["text"]).toBe("Saved 16 bytes at notes/hello.txt.");
        expect(readFileSync(path.join(world.root, "notes/hello.txt"), "utf8")).toBe("Hello, workspace");
        // What it wrote over can be brought back.
        await read("memo://hello", "old.txt");
        const before = (await world.deps.history.list("session")).at(-1)?.before;
        expect(before?.kind).toBe("file");
        if (before?.kind === "file") {
          expect((await world.deps.history.read(before.contentId)).toString()).toBe("mine");
        }

        await expect(read("memo://hello", "../out.txt")).rejects.toThrow(/outside the workspace/);
        symlinkSync(world.directory, path.join(world.root, "link"));
        await expect(read("memo://hello", "link/out.txt")).rejects.toThrow(/outside the workspace/);
        await expect(read("memo://hello", ".env")).rejects.toThrow(/kept from tools/);
        await expect(read("memo://hello", "notes")).rejects.toThrow(/is a directory/);
        expect(existsSync(path.join(world.directory, "out.txt"))).toBe(false);
        const plan = { session: { id: "session", workspaceRoot: "", mode: "plan" as const } };
        await expect(
          world.call(tool, { server: "test", uri: "memo://hello", downloadPath: "x" }, plan),
        ).rejects.toThrow(/in plan mode/);

        await expect(read("memo://nothing")).rejects.toThrow(/has nothing at memo:\/\/nothing/);
        await expect(world.call(tool, { server: "far", uri: "memo://hello" })).rejects.toThrow(/no MCP server far/);
        expect(
          tool.toAgentResult({ uri: "u", downloadPath: "p" }, { kind: "succeeded", result: { uri: "u" } }),
        ).toEqual({
          success: { uri: "u", downloadPath: "p" },
        });
      }),
  );
});
