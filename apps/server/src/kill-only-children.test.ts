import { ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { killOnlyChildren } from "./kill-only-children.ts";

/** Asks whether there is somebody to signal, and signals nobody. */
const ASK = 0;

it("signals nobody for a process that never began, as long as it is asked to", () => {
  const original = Object.getOwnPropertyDescriptor(ChildProcess.prototype, "kill");
  const undo = killOnlyChildren();
  try {
    expect(new ChildProcess().kill(ASK)).toBe(false);
  } finally {
    undo();
  }
  expect(Object.getOwnPropertyDescriptor(ChildProcess.prototype, "kill")).toEqual(original);
});

it("still ends a process that runs", async () => {
  const undo = killOnlyChildren();
  try {
    const child = spawn("sleep", ["60"]);
    const ended = once(child, "exit");
    expect(child.kill("SIGKILL")).toBe(true);
    expect(await ended).toEqual([null, "SIGKILL"]);
  } finally {
    undo();
  }
});
