import { expect, it } from "vitest";
import { findCommands } from "./find-commands.ts";

const commands = [
  { id: "keys", name: "Keys", kind: "Screen", words: "secret" },
  { id: "new-key", name: "Make a key", kind: "Action", words: "create" },
  { id: "crawl", name: "Crawl a site", kind: "Action", words: "start keyword" },
];

it.each([
  ["", ["keys", "new-key", "crawl"]],
  ["key", ["keys", "new-key", "crawl"]],
  ["act key", ["new-key", "crawl"]],
  ["SECRET", ["keys"]],
  ["site crawl", ["crawl"]],
  ["nothing", []],
])("finds for %j", (typed, ids) => {
  expect(findCommands(commands, typed).map(({ id }) => id)).toEqual(ids);
});

it("puts those first whose name fits", () => {
  const known = [
    { id: "b", name: "Other", kind: "x", words: "usage" },
    { id: "a", name: "Usage", kind: "x" },
  ];
  expect(findCommands(known, "usa").map(({ id }) => id)).toEqual(["a", "b"]);
});
