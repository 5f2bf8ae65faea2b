import { expect, it } from "vitest";
import { guessRoles, isMapped, mapColumns, setRole } from "./map-columns.ts";

const ROWS = [
  ["Company", "Web", "url", "Notes"],
  ["Alpenrad", "alpenrad.example", "x", "red"],
  ["Bergwerk", "https://bergwerk.example/", "y"],
];

it("guesses names and addresses, and writes them first under the headings the server knows", () => {
  const roles = guessRoles(ROWS);
  expect(roles).toEqual(["name", "url", "keep", "keep"]);
  expect(mapColumns(ROWS, setRole(roles, 3, "leave"))).toEqual([
    ["url", "name", "url_3"],
    ["alpenrad.example", "Alpenrad", "x"],
    ["https://bergwerk.example/", "Bergwerk", "y"],
  ]);
});

it("has one column of names, and needs it or one of addresses", () => {
  const roles = setRole(guessRoles(ROWS), 3, "name");
  expect(roles).toEqual(["keep", "url", "keep", "name"]);
  expect(isMapped(setRole(setRole(roles, 3, "keep"), 1, "leave"))).toBe(false);
});
