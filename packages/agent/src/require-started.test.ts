import { execFileSync, spawn } from "node:child_process";
import { expect, it } from "vitest";
import { requireStarted } from "./require-started.ts";

/** Starts programs until no descriptor is left, in a process that may have few; says what became of the last. */
const PROGRAM = `
const { spawn } = require("node:child_process");
let last;
for (let count = 0; count < 64; count += 1) last = spawn("sleep", ["1"]);
process.stdout.write(JSON.stringify({ hasStreams: last.stdio !== undefined, pid: last.pid ?? null }));
process.once("uncaughtException", () => process.exit(0));
`;

it("is about what Node really does without descriptors: a process that has no streams", () => {
  const said = execFileSync("sh", ["-c", 'ulimit -n 48; exec "$0" -e "$1"', process.execPath, PROGRAM]);
  expect(JSON.parse(said.toString())).toEqual({ hasStreams: false, pid: null });
});

it("throws for a process without streams, whose error then ends nobody", () => {
  const child = spawn("/nowhere/at/all");
  Object.assign(child, { stdio: undefined });
  expect(() => requireStarted(child)).toThrow("too many files");
  expect(child.listenerCount("error")).toBe(1);
});

it("gives back a process that runs, and one whose program is missing", async () => {
  const [child, missing] = [spawn("true"), spawn("/nowhere/at/all")];
  const told = new Promise((resolve) => missing.once("error", resolve));
  expect([requireStarted(child), requireStarted(missing)]).toEqual([child, missing]);
  expect(await told).toMatchObject({ code: "ENOENT" });
});
