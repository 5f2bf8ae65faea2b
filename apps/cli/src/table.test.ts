import { Writable } from "node:stream";
import { expect, it } from "vitest";
import type { Output } from "./cli-context.ts";
import { renderPairs, renderTable } from "./table.ts";

const plain: Output = { stream: new Writable(), isTerminal: false, hasColors: false };
const columns = [
  { heading: "NAME", text: ([name]: readonly [string, number]) => name },
  { heading: "COUNT", text: ([, count]: readonly [string, number]) => String(count), align: "right" as const },
];

it("aligns columns and leaves no blanks at the ends of lines", () => {
  expect(
    renderTable(plain, columns, [
      ["a", 1],
      ["longer", 1000],
    ]),
  ).toBe(["NAME    COUNT", "a           1", "longer   1000"].join("\n"));
  expect(
    renderPairs(plain, [
      ["Id", "x"],
      ["Longer", ""],
    ]),
  ).toBe("Id      x\nLonger");
});

it("counts what people see, not code units", () => {
  expect(
    renderTable(plain, columns, [
      ["e\u0301", 1],
      ["漢字", 2],
      ["👍🏽", 3],
    ])
      .split("\n")
      .slice(1),
  ).toEqual(["e\u0301         1", "漢字      2", "👍🏽        3"]);
});

it("lets no text from outside drive the terminal", () => {
  expect(renderTable(plain, columns, [["\u001B[2Jwiped\r\n", 1]])).not.toMatch(/\u001B|\r/);
  expect(renderPairs(plain, [["Name", "\u001B]0;title\u0007"]])).toBe("Name   ]0;title");
});

it("dims headings where there are colours", () => {
  expect(renderTable({ ...plain, hasColors: true }, columns, [])).toBe("\u001B[2mNAME  COUNT\u001B[0m");
});
