import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { cliWorld } from "../testing.ts";

describe("quarry mcp install", () => {
  verifies("mcp:install:writes-config", "shows the entry, asks, and writes it beside what is there", async () => {
    const world = cliWorld({ lines: ["y", "n"] });
    const file = path.join(world.context.cwd, "mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { other: { command: "x" } }, theme: "dark" }));
    const { code, stderr, stdout } = await world.run("mcp", "install", "cursor", "--file", file, "--tools", "web");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Restart Cursor") as string });
    expect(stderr).toContain('"--tools"');
    const written = JSON.parse(readFileSync(file, "utf8")) as object;
    expect(written).toEqual({
      mcpServers: {
        other: { command: "x" },
        quarry: {
          command: process.execPath,
          args: [expect.stringContaining("cli.js"), "mcp", "--tools", "web"],
          env: { QUARRY_DATA_DIR: world.dataDirectory },
        },
      },
      theme: "dark",
    });
    expect(existsSync(`${file}.before-quarry`)).toBe(true);
    const again = await world.run("mcp", "install", "cursor", "--file", file, "--tools", "web");
    expect(again.stdout).toContain("knows Quarry already");
    const other = await world.run("mcp", "install", "vscode");
    expect(other.stdout).toContain("Nothing was written");
    expect(existsSync(path.join(world.context.cwd, ".vscode"))).toBe(false);
  });

  it("replaces its own table in TOML and leaves the rest as it is", async () => {
    const world = cliWorld();
    const file = path.join(world.context.cwd, "config.toml");
    writeFileSync(file, 'model = "x"\n\n[mcp_servers.quarry]\ncommand = "old"\n\n[other]\na = 1 # kept\n');
    const { code, stderr } = await world.run("mcp", "install", "codex", "--file", file, "--yes");
    expect(code).toBe(0);
    expect(stderr).toContain("[mcp_servers.quarry]\ncommand = ");
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(
      /^model = "x"\n\n\[mcp_servers\.quarry\]\ncommand = ".+"\nargs = \[".+cli\.js","mcp"\]\nenv = \{ QUARRY_DATA_DIR = ".+" \}\n/,
    );
    expect(text).toContain("[other]\na = 1 # kept\n");
    expect(text).not.toContain("old");
  });

  it("writes nothing that it cannot read, nor without an answer, nor for an unknown client", async () => {
    const world = cliWorld();
    const file = path.join(world.context.cwd, "mcp.json");
    writeFileSync(file, "{ // a comment\n}");
    expect(await world.run("mcp", "install", "claude", "--file", file, "--yes")).toMatchObject({ code: 1 });
    expect(readFileSync(file, "utf8")).toBe("{ // a comment\n}");
    expect((await world.run("mcp", "install", "vscode")).stderr).toContain("--yes");
    expect((await world.run("mcp", "install", "emacs")).stderr).toContain("known are claude, cursor, vscode, codex");
  });
});
