import { describe, expect, it } from "vitest";
import { isSize, readCommandLine } from "./run-by-name.ts";

const program = {
  command: "bench",
  runs: [{ name: "crawl" }, { name: "jobs" }, { name: "search" }],
  options: { size: { value: "0.05", default: "1", accepts: isSize }, quick: {} },
};
const read = (...args: readonly string[]): unknown => readCommandLine(program, args);

describe("a command line that names runs", () => {
  it.each([
    ["all when it names none", [], ["crawl", "jobs", "search"], { out: "bench-results", size: "1" }],
    ["the named, in our order", ["search", "--only", "jobs,crawl"], ["crawl", "jobs", "search"], { size: "1" }],
    ["with options", ["--only", "jobs", "--size", "0.2", "--quick"], ["jobs"], { size: "0.2", quick: true }],
    ["nothing but the names", ["--list"], ["crawl", "jobs", "search"], { list: true }],
  ])("runs %s", (_, args, names, values) => {
    expect(read(...args)).toMatchObject({ kind: "understood", runs: names.map((name) => ({ name })), values });
  });

  it.each([
    [["--lsit"], "Unknown option '--lsit'"],
    [["--only", "crwal"], "there is no crwal"],
    [["--size", "2"], "--size cannot be 2"],
    [["--size"], "argument missing"],
    [["--quick=yes"], "does not take an argument"],
  ])("is refused for %j", (args, fault) => {
    expect(read(...args)).toEqual({ kind: "wrong", fault: expect.stringContaining(fault) as unknown });
  });
});
