import { expect, it } from "vitest";
import { decodeText, readCsv, writeCsv } from "./read-csv.ts";

it.each([
  ["plain", "a,b\n1,2\n", [["a", "b"], ["1", "2"]]], // prettier-ignore
  ["quotes, line ends and a delimiter inside", 'a;b\r\n"x; ""y""\n";2', [["a", "b"], ['x; "y"\n', "2"]]], // prettier-ignore
  ["tabs and empty lines", "a\tb\n\n \t\n1\t\n", [["a", "b"], ["1", ""]]], // prettier-ignore
  ["one column", "a\nb", [["a"], ["b"]]],
  ["nothing", "", []],
])("reads %s", (_, text, rows) => {
  expect(readCsv(text)).toEqual(rows);
});

it("writes what it reads", () => {
  const rows = [
    ["a,b", 'say "hi"'],
    ["line\nend", ""],
  ];
  expect(readCsv(writeCsv(rows))).toEqual(rows);
});

it("decodes UTF-8, UTF-16 and what Windows wrote", () => {
  expect(decodeText(new TextEncoder().encode("\ufeffMüller"))).toBe("Müller");
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x4d, 0x00, 0xfc, 0x00]))).toBe("Mü");
  expect(decodeText(new Uint8Array([0x4d, 0xfc]))).toBe("Mü");
});
