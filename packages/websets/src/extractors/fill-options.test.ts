import { expect, it } from "vitest";
import { askCompany, pageOf } from "./testing-cell.ts";

const HOSTING = ["Cloud only", "Self-hosted only", "Cloud and self-hosted"];

it.each([
  ["Use our cloud or run it yourself.", "Cloud and self-hosted"],
  ["Gardenly runs in our cloud. A self-hosted edition is there, too.", "Cloud and self-hosted"],
  ["Gardenly runs in our cloud.", "Cloud only"],
  ["Gardenly is available only in our cloud, safe and fast.", "Cloud only"],
  ["Gardenly runs in our cloud; we do not offer a self-hosted edition.", "Cloud only"],
  ["Gardenly is self-hosted.", "Self-hosted only"],
  ["Gardenly is installed on your own servers.", "Self-hosted only"],
  ["Use our cloud or your laptop.", null],
  ["Gardenly sells plants.", null],
])("chooses of labels that leave something out, or do not: %s", (text, expected) => {
  const enrichment = {
    description: "Hosting",
    format: "options",
    options: HOSTING.map((label) => ({ label })),
  } as const;
  expect(askCompany(enrichment, pageOf(text))).toEqual(expected === null ? null : [expected]);
});

it("takes a label with “and” for one thing where no part of it is a label", () => {
  const options = [{ label: "Research and development" }, { label: "Trade" }];
  const enrichment = { description: "Field", format: "options", options } as const;
  expect(askCompany(enrichment, pageOf("Our research is cited."))).toBeNull();
  expect(askCompany(enrichment, pageOf("We do research and development."))).toEqual(["Research and development"]);
});
