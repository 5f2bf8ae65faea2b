import { expect, it } from "vitest";
import { measureStance } from "./claim-stance.ts";

const CLAIM = "The glacier has lost only two tenths of its ice in the last fifty years.";

it.each([
  ["a denial that the sentence has not", "The harvest report is unfounded.", "The harvest report is sound.", true],
  ["a denial that both have", "The harvest report is unfounded.", "Judges found the report unfounded.", false],
  ["what somebody says", "The harvest was good.", "The harvest was good, the mayor said.", true],
  ["nothing", "The harvest was good.", "The harvest of this year was good.", false],
])("bars a plain yes by %s", (_, claim, sentence, isBarred) => {
  expect(measureStance(claim, sentence).isBarred).toBe(isBarred);
});

it("knows numbers in words and in digits", () => {
  const missing = (sentence: string): number => measureStance(CLAIM, sentence).features.numberWordsMissing;
  expect(missing("In 50 years two tenths were lost.")).toBe(0);
  expect(missing("In 50 years three tenths were lost.")).toBe(1);
  expect(measureStance("It cost two million.", "It cost 2 billion.").features.magnitudesMissing).toBe(1);
});

it("tells directions that are opposed from those that agree", () => {
  const { opposed, agreed } = measureStance("Sales increased in the north.", "Sales fell in northern towns.").features;
  expect({ opposed, agreed }).toEqual({ opposed: 1, agreed: 1 });
});
