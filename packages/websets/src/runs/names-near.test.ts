import { expect, it } from "vitest";
import { namesNear } from "./names-near.ts";

const ACME = { type: "company", name: "Acme Inc.", aliases: [], url: "https://acme.example/" } as const;
const ADA = { type: "person", name: "Ada Berg", aliases: [], url: "https://people.example/ada" } as const;
const FAR = "Nothing of note happened that year. ".repeat(20);

function page(text: string, change: { readonly url?: string; readonly title?: string } = {}) {
  return { url: "https://news.example/1", title: "News", text, snapshotId: null, ...change };
}

it.each([
  ["its text names both near each other", page("Ada Berg founded Acme in 2019."), true],
  ["it names the company by its domain", page("Ada Berg, founder (acme.example)"), true],
  ["its title names the company", page("Ada Berg. Founder.", { title: "Founders of Acme" }), true],
  ["it is of the company's own site", page("Ada Berg. Founder.", { url: "https://www.acme.example/team" }), true],
  ["only another company is named", page("Ada Berg founded Beta in 2019."), false],
  ["they are far apart", page(`Ada Berg founded Beta. ${FAR} Acme grew.`), false],
  ["the name is part of another word", page("Ada Berg founded Acmera."), false],
])("whether a page tells of both: %s", (_, told, expected) => {
  expect(namesNear(told, ADA, ACME)).toBe(expected);
});
