import { expect, it } from "vitest";
import { findQuotes, markParagraphs, markWords } from "./mark-quotes.ts";

const text = "First line.\n\nGranite is hard.\nMarble is\nsofter (by far).";

it("finds quotes although white space differs, and merges those that overlap", () => {
  expect(findQuotes(text, ["Granite is", "is hard. Marble", "softer (by far)", "not there"])).toEqual([
    { start: 13, end: 36 },
    { start: 40, end: 55 },
  ]);
});

it("believes ranges that are known, as far as they lie in the text", () => {
  expect(
    findQuotes(
      text,
      ["First"],
      [
        { start: 13, end: 20 },
        { start: 50, end: 5_000 },
      ],
    ),
  ).toEqual([{ start: 13, end: 20 }]);
});

it("marks a quote in every paragraph it runs through", () => {
  expect(markParagraphs(text, [{ start: 24, end: 36 }])).toEqual([
    [{ text: "First line.", isMarked: false }],
    [
      { text: "Granite is ", isMarked: false },
      { text: "hard.", isMarked: true },
    ],
    [
      { text: "Marble", isMarked: true },
      { text: " is", isMarked: false },
    ],
    [{ text: "softer (by far).", isMarked: false }],
  ]);
});

it("marks the words of a question, and their plural", () => {
  expect(markWords("Granites, not granitic; c++ (granite)", "what is granite? a.b*c")).toEqual([
    { text: "Granites", isMarked: true },
    { text: ", not granitic; c++ (", isMarked: false },
    { text: "granite", isMarked: true },
    { text: ")", isMarked: false },
  ]);
  expect(markWords("the salt and the sea", "how are salt and light made?")).toEqual([
    { text: "the ", isMarked: false },
    { text: "salt", isMarked: true },
    { text: " and the sea", isMarked: false },
  ]);
  expect(markWords("text", "a?")).toEqual([{ text: "text", isMarked: false }]);
});
