import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { listCommandShapes } from "./completion/command-shape.ts";
import { buildProgram } from "./program.ts";
import { cliWorld } from "./testing.ts";

it("prints its version and its help on stdout", async () => {
  expect(await cliWorld().run("--version")).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
  const [bare, help, flag] = [await cliWorld().run(), await cliWorld().run("help"), await cliWorld().run("--help")];
  expect([bare.code, help.code, flag.code]).toEqual([0, 0, 0]);
  expect(bare.stdout).toBe(flag.stdout);
  expect(help.stdout).toBe(flag.stdout);
  for (const text of ["serve", "doctor", "Exit codes: 0 ok, 1 error, 2 usage, 3 auth", "Examples:"]) {
    expect(bare.stdout).toContain(text);
  }
});

verifies("cli:help:every-command", "explains every command with an example and the global options", async () => {
  const paths = listCommandShapes(buildProgram(cliWorld().context, () => undefined))
    .filter(({ path, subcommands }) => subcommands.length === 0 && path !== "help")
    .map(({ path }) => path);
  expect(paths).toContain("keys rotate");
  for (const path of paths) {
    const { code, stdout } = await cliWorld().run(...path.split(" "), "--help");
    expect([path, code, stdout]).toEqual([
      path,
      0,
      expect.stringContaining(`Usage: quarry ${path.replace("status", "status|health")}`),
    ]);
    expect(stdout).toContain(`\nExamples:\n  `);
    expect(stdout).toContain("--json");
  }
});

verifies("cli:unknown:suggests", "suggests the nearest command", async () => {
  const result = await cliWorld().run("staus");
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean status?") as string });
});

it.each([
  [["serach"], "unknown command 'serach'"],
  [["status", "extra"], "too many arguments"],
  [["--nope"], "unknown option '--nope'"],
  [["serve", "--port", "70000"], "Expected a whole number from 0 to 65535."],
  [["keys"], "Usage: quarry keys"],
  [["stop", "--url", "http://127.0.0.1:7700"], "only the server of this machine"],
])("ends %j with code 2", async (args, text) => {
  const result = await cliWorld().run(...args);
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toContain(text);
});

it("colours errors on a terminal only", async () => {
  const args = ["restore", "/nowhere/file"] as const;
  expect((await cliWorld({ terminal: true }).run(...args)).stderr).toContain("\u001B[31merror:");
  expect((await cliWorld().run(...args)).stderr).toBe("error: /nowhere/file is not there\n");
});
