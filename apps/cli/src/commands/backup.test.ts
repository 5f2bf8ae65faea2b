import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { cliWorld, serveApi, temporaryDirectory } from "../testing.ts";

const bytes = Buffer.alloc(300_000, "quarry ");

async function serveBackup(broken = false): Promise<string> {
  const api = await serveApi(() => (response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    response.write(bytes, () => (broken ? response.destroy() : response.end()));
  });
  return api.url;
}

it("writes the file whole, for its owner alone", async () => {
  const file = path.join(temporaryDirectory(), "quarry.backup");
  const result = await cliWorld().run("backup", file, "--json", "--url", await serveBackup());
  expect(JSON.parse(result.stdout)).toEqual({ file, bytes: bytes.length });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("streams to stdout", async () => {
  const result = await cliWorld().run("backup", "-", "--url", await serveBackup());
  expect(result).toEqual({ code: 0, stdout: bytes.toString("utf8"), stderr: "" });
});

it("leaves nothing behind when the server breaks off", async () => {
  const file = path.join(temporaryDirectory(), "quarry.backup");
  const result = await cliWorld().run("backup", file, "--url", await serveBackup(true));
  expect([result.code, result.stderr]).toEqual([1, expect.stringContaining("the backup broke off after")]);
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
});

it("says that the file cannot be written, rather than that the server broke off", async () => {
  const file = path.join(temporaryDirectory(), "nowhere", "quarry.backup");
  const result = await cliWorld().run("backup", file, "--url", await serveBackup());
  expect([result.code, result.stderr]).toEqual([
    1,
    `error: ${file}.part cannot be written (ENOENT); name another place\n`,
  ]);
});

it("writes over a file only when forced, and never on a terminal", async () => {
  const file = path.join(temporaryDirectory(), "quarry.backup");
  writeFileSync(file, "old");
  const url = await serveBackup();
  expect((await cliWorld().run("backup", file, "--url", url)).code).toBe(2);
  expect(readFileSync(file, "utf8")).toBe("old");
  expect((await cliWorld().run("backup", file, "--force", "--url", url)).code).toBe(0);
  expect(statSync(file).size).toBe(bytes.length);
  expect((await cliWorld({ terminal: true }).run("backup", "-", "--url", url)).code).toBe(2);
});

verifies("cli:output:progress-bar", "shows progress in one line of a terminal, and none in a pipe", async () => {
  const [file, url] = [path.join(temporaryDirectory(), "quarry.backup"), await serveBackup()];
  const onTerminal = await cliWorld({ terminal: true }).run("backup", file, "--url", url);
  expect(onTerminal.stderr).toMatch(/^\r\u001B\[KBacking up… [\d.]+ KB[^\n]*\r\u001B\[K$/);
  expect((await cliWorld({ terminal: true }).run("backup", file, "--force", "--quiet", "--url", url)).stderr).toBe("");
  expect((await cliWorld().run("backup", file, "--force", "--url", url)).stderr).toBe("");
});
