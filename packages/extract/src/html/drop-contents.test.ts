import { expect, it } from "vitest";
import { extractHtml } from "./extract-html.ts";

const SECTIONS = ["Getting a repository", "Naming branches", "Merging", "Undoing a merge"];
const TEXT =
  "Version control keeps what was there before, so that a mistake of today can be undone tomorrow, and says who changed what and why.";

function textOfManual(contents: string): string {
  const sections = SECTIONS.map(
    (title, index) =>
      `<div class="section"><h2><a name="s${String(index)}"></a>${String(index + 1)}.1. ${title}</h2><p>${TEXT.replaceAll("what", title)}</p></div>`,
  );
  const html = `<html lang="en"><title>The manual</title><body><div class="book"><h1>The manual</h1>${contents}<p>${TEXT}</p>${sections.join("")}</div></body></html>`;
  return extractHtml({ url: "http://localhost/manual.html", html, now: new Date("2030-01-01") }).text;
}

const links = (tag: string, addressOf: (index: number) => string): string =>
  SECTIONS.map((title, index) => `<${tag}><a href="${addressOf(index)}">${title}</a></${tag}>`).join("");

it.each([
  [
    "of terms",
    `<div class="list"><p><b>Table of Contents</b></p><dl>${links("dt", (index) => `#s${String(index)}`)}</dl></div>`,
  ],
  ["of items", `<div><p>In this manual</p><ol>${links("li", (index) => `#s${String(index)}`)}</ol></div>`],
])("leaves out a table of contents: %s", (_name, contents) => {
  expect(textOfManual(contents)).toBe(textOfManual(""));
});

it("keeps a list that says more than the headings", () => {
  const items = SECTIONS.map(
    (title, index) =>
      `<li><a href="#s${String(index)}">${title}</a>, which is how most people begin with version control.</li>`,
  );
  expect(textOfManual(`<ul>${items.join("")}</ul>`)).toContain("Naming branches, which is how");
});
