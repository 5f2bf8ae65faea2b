import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterEach, beforeEach, expect } from "vitest";
import { removeServerFile, writeServerFile, type ServerFile } from "./server-file.ts";

let directory = "";
beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), "quarry-server-file-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const content: ServerFile = {
  url: "http://127.0.0.1:1",
  pid: process.pid,
  key: "qk_x",
  version: "1",
  startedAt: "now",
};

verifies(
  ["server:info:server-json", "server:info:server-json-owner-only"],
  "is readable by its owner alone, even over a file left wide open",
  () => {
    const file = path.join(directory, "server.json");
    writeFileSync(file, "{}", { mode: 0o666 });
    writeServerFile(directory, content);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(content);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

verifies("server:info:server-json-removed", "is taken away by the server that wrote it, and by no other", () => {
  writeServerFile(directory, { ...content, pid: process.pid + 1 });
  removeServerFile(directory);
  expect(existsSync(path.join(directory, "server.json"))).toBe(true);
  writeServerFile(directory, content);
  removeServerFile(directory);
  removeServerFile(directory);
  expect(existsSync(path.join(directory, "server.json"))).toBe(false);
});
