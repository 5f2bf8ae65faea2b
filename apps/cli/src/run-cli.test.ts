import { expect, it } from "vitest";
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

it.each([
  ["serve"],
  ["stop"],
  ["status"],
  ["usage"],
  ["doctor"],
  ["backup"],
  ["restore"],
  ["completion"],
  ["config", "print"],
  ["keys", "create"],
])("explains quarry %s with the global options", async (...words) => {
  const { code, stdout } = await cliWorld().run(...words, "--help");
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: quarry ${words.join(" ")}`);
  expect(stdout).toContain("--json");
});

it.each([
  [["serach"], "unknown command 'serach'"],
  [["staus"], "Did you mean status?"],
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
