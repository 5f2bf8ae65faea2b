import { expect, it } from "vitest";
import type { PageText } from "../evidence.ts";
import { readStatements } from "./statements.ts";

function labelled(text: string): readonly (readonly [string | null, string])[] {
  const page: PageText = { url: "https://acme.example/", title: "Acme", text, snapshotId: "s1" };
  return readStatements(page)
    .filter(({ label }) => label !== null)
    .map((one) => [one.label, one.text.replaceAll(/\s+/g, " ")] as const);
}

const ABOVE = [
  ["1,250", "1,250 employees"],
  ["17", "17 countries"],
] as const;

it.each([
  ["a number above each label", "We grow.\n\n1,250\n\nemployees\n\n17\n\ncountries"],
  ["a heading over them", "Acme in numbers\n\n1,250\n\nemployees\n\n17\n\ncountries"],
  ["a heading of any words over units", "What we are\n1,250\nemployees\n17\ncountries"],
])("reads tiles with %s", (_, text) => {
  expect(labelled(text).map(([, said]) => said)).toEqual(ABOVE.map(([, said]) => said));
});

it("reads capital labels under numbers by where the lines begin and end", () => {
  expect(labelled("We grow.\n\n1,250+\n\nEmployees\n\n17\n\nCountries")).toEqual([
    ["Employees", "1,250+ Employees"],
    ["Countries", "17 Countries"],
  ]);
});

it.each([
  ["a list", "Employees\n12\nCountries\n170"],
  ["a list before a heading", "Employees\n12\nOur history\nIt began in a garage in 1999."],
])("keeps a label with the value below it in %s", (_, text) => {
  expect(labelled(text)[0]).toEqual(["Employees", "Employees 12"]);
});
