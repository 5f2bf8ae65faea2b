import { expect, it } from "vitest";
import type { CellQuestion } from "./cell.ts";
import { askCompany, pageOf } from "./testing-cell.ts";

const ARTICLE: CellQuestion["entity"] = {
  type: "article",
  name: "On lamps",
  aliases: [],
  url: "https://news.example/lamps",
  properties: {
    type: "article",
    url: "https://news.example/lamps",
    description: "",
    content: null,
    article: { author: null, publishedAt: null, title: null },
  },
};

it.each([
  ["Author of the article", "Jane Doe", ["Jane Doe"]],
  ["Who wrote it?", "Jane Doe and Tom Hill", ["Jane Doe and Tom Hill"]],
  ["Author", "admin", null],
  ["Author", "News Team", null],
  ["Who gave the speech?", "Jane Doe", null],
])("gives the author that the page names of itself: %s, %s", (description, author, expected) => {
  const page = pageOf("Lamps are lit.", { title: "On lamps", author });
  expect(askCompany({ description, format: "text" }, page, ARTICLE)).toEqual(expected);
});

it.each([
  ["Gardenly announced a $15 million Series A.", "15000000"],
  ["Gardenly closed its $3m seed round in May.", "3000000"],
  ["Gardenly sells a series of lamps for $20.", null],
])("reads what was raised: %s", (text, expected) => {
  const cell = askCompany({ description: "Amount raised", format: "number" }, pageOf(text));
  expect(cell).toEqual(expected === null ? null : [expected]);
});
