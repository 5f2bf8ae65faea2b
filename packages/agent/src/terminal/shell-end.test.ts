import { describe, expect, it } from "vitest";
import { EndSign } from "./end-sign.ts";
import { readEnd } from "./shell-end.ts";

describe("the end of a command", () => {
  it("is concluded from what the terminal told and the shell left", () => {
    const start = "";
    const free = { isStopped: false };
    expect(readEnd(3, { start, end: "3\n/w/a b\n" }, free)).toEqual({ kind: "exited", exitCode: 3, cwd: "/w/a b" });
    expect(readEnd(137, { start, end: undefined }, free)).toEqual({ kind: "exited", exitCode: 137, cwd: undefined });
    expect(readEnd(1, { start, end: "0\n/elsewhere\n" }, free)).toEqual({
      kind: "exited",
      exitCode: 1,
      cwd: undefined,
    });
    expect(readEnd(undefined, { start, end: undefined }, free)).toEqual({ kind: "unknown" });
    expect(readEnd(125, { start: undefined, end: undefined }, free)).toEqual({ kind: "failed" });
    expect(readEnd(0, { start, end: "0\n/w\n" }, { isStopped: true })).toEqual({ kind: "stopped", exitCode: 143 });
  });

  it("is told by a sign that never shows, however it is cut", () => {
    const said = Buffer.from("a\u001b]777;b\u001b]777;secret;42\u0007after");
    for (let size = 1; size <= said.length; size += 1) {
      const sign = new EndSign("secret");
      let output = "";
      for (let at = 0; at < said.length; at += size) output += sign.take(said.subarray(at, at + size)).toString();
      expect([output, sign.exitCode]).toEqual(["a\u001b]777;b", 42]);
    }
  });
});
