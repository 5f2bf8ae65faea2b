import { describe, expect, it } from "vitest";
import { definesAsked, expectedAnswer, hasExpected, needsExpected } from "./expected-answer.ts";

describe("needsExpected", () => {
  it.each([
    "Who founded Globex?",
    "who is the CEO of Globex",
    "In the war, who was the king?",
    "When was it released?",
    "In which year did it begin?",
    "How many people work there?",
    "What is the maximum line length?",
    "price of an iPhone 15?",
  ])("%s", (question) => expect(needsExpected(expectedAnswer(question), question)).toBe(true));

  it.each([
    "Who is Ada Lovelace?",
    "What is the title of those who rule?",
    "When does the cache expire?",
    "How do I find out how many commits there are?",
    "Where is it?",
    "What is a limit?",
  ])("not %s", (question) => expect(needsExpected(expectedAnswer(question), question)).toBe(false));
});

describe("hasExpected", () => {
  it.each([
    ["Who is the CEO of Kestrel Logs?", "It is led by Brandl.", true],
    ["Who is the CEO of Kestrel Logs?", "Lukas leads it.", true],
    ["Who is the CEO of Kestrel Logs?", "Kestrel Logs GmbH was founded on Monday, 4 May 2019.", false],
    ["Who is the CEO of Kestrel Logs?", "The Kestrel’s logs are his.", false],
    ["Who wrote it?", "作者は夏目漱石です。", true],
    ["When was it finished?", "It was finished in 691 CE.", true],
    ["When was it finished?", "On 2019-05-04 it was.", true],
    ["When was Python 3.11 released?", "Support broke between Python 3.2 and 3.6.", false],
    ["How many work there?", "Around 90 people.", true],
    ["How many of the 90 work there?", "Of the 90 many do.", false],
  ])("%s: %s", (question, sentence, has) => {
    expect(hasExpected(expectedAnswer(question), sentence, question)).toBe(has);
  });
});

describe("definesAsked", () => {
  it.each([
    ["what is write-ahead logging?", "Write-Ahead Logging (WAL) is a standard method for ensuring data integrity."],
    ["What is a foreign key?", "Foreign keys are columns that refer to another table."],
    ["who is Captain Ahab?", "Captain Ahab is the captain of this ship."],
    ["What is a mutex in Rust?", "Mutex is an abbreviation for mutual exclusion."],
    ["define VACUUM", "VACUUM refers to a way to reclaim room."],
  ])("%s: %s", (question, sentence) => {
    expect(definesAsked(sentence, question)).toBe(true);
  });

  it.each([
    ["what is a foreign key?", "Foreign key constraints are immediate by default."],
    ["what is a foreign key?", "A primary key is not a foreign key."],
    ["how do I make a foreign key?", "A foreign key is made with REFERENCES."],
    ["what is?", "What is."],
    ["what is the whole of what he said on the first day of May?", "The whole of what he said is lost."],
  ])("not %s: %s", (question, sentence) => {
    expect(definesAsked(sentence, question)).toBe(false);
  });
});
