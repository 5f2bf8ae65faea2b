import { expect, it } from "vitest";
import type { PageText } from "../evidence.ts";
import { judgeByRules } from "./judge-by-rules.ts";

const TEXT = "The maker of lamps told its staff on Monday.\n\nA third of them must go.";

function judged(criterion: string, facts: Partial<PageText>): unknown {
  const url = "https://paper.example/orbella";
  const entity = { type: "article" as const, name: "Orbella", aliases: [], url };
  const page = { url, title: "Orbella", text: TEXT, snapshotId: "s1", ...facts };
  const { satisfied, references } = judgeByRules({ entity, criterion, pages: [page] });
  return { satisfied, quotes: references.map(({ snippet }) => snippet) };
}

const LEAD = "The maker of lamps told its staff on Monday.";

it("takes the author that a page gives, and quotes its byline or its beginning", () => {
  const author = "Jane Doe";
  expect(judged("written by Jane Doe", { author })).toEqual({ satisfied: "yes", quotes: [LEAD] });
  expect(judged("author is Jane Doe", { author })).toEqual({ satisfied: "yes", quotes: [LEAD] });
  expect(judged("was written by Jane Doe", { author, text: `By Jane Doe\n\n${TEXT}` })).toEqual({
    satisfied: "yes",
    quotes: ["By Jane Doe"],
  });
  expect(judged("written by Jane Doe", { author: "Jane Roe" })).toMatchObject({ satisfied: "unclear" });
  expect(judged("written by Jane Doe", {})).toMatchObject({ satisfied: "unclear" });
  expect(judged("written by a journalist", { author })).toMatchObject({ satisfied: "unclear" });
});

it.each([
  ["Orbella lays off a third of its staff", "yes"],
  ["Orbella Layoffs Hit 200", "yes"],
  ["200 people laid off at Orbella", "yes"],
  ["Orbella announces job cuts", "yes"],
  ["Orbella denies layoffs", "unclear"],
  ["Orbella may lay off staff", "unclear"],
  ["Orbella lays new cables", "unclear"],
])("reads the headline of an article as it reads its text: %s", (title, satisfied) => {
  expect(judged("reports layoffs", { title })).toMatchObject({ satisfied });
  expect(judged("reports layoffs", { title: "Orbella", text: `${title}. ${TEXT}` })).toMatchObject({ satisfied });
});

it("quotes the beginning of an article for its headline", () => {
  const title = "Orbella lays off a third of its staff";
  expect(judged("reports layoffs", { title })).toEqual({ satisfied: "yes", quotes: [LEAD] });
});
