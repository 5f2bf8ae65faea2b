import { expect, it } from "vitest";
import { readSections } from "./page-sections.ts";

const PAGE = `<html><body>
<header><h1>Our site</h1></header>
<nav><a href="/a">Home</a> <a href="/b">About</a></nav>
<div class="cookie-banner"><p>We use cookies.</p></div>
<main><article><header><h2>The story</h2></header><p>It begins <b>here</b>.</p></article>
<aside><p>Beside it.</p></aside></main>
<div hidden><p>Not seen.</p></div>
<footer><p>The end.</p></footer></body></html>`;

it("tells the parts of a page apart, in the page's order", () => {
  expect(readSections({ url: "https://e.org/", html: PAGE })).toEqual([
    { section: "header", markdown: "# Our site" },
    { section: "navigation", markdown: "[Home](https://e.org/a) [About](https://e.org/b)" },
    { section: "banner", markdown: "We use cookies." },
    { section: "header", markdown: "## The story" },
    { section: "body", markdown: "It begins **here**." },
    { section: "sidebar", markdown: "Beside it." },
    { section: "footer", markdown: "The end." },
  ]);
});

it("takes a page without any structure for its body", () => {
  expect(readSections({ url: "https://e.org/", html: "<p>One<p>Two" })).toEqual([
    { section: "body", markdown: "One\n\nTwo" },
  ]);
  expect(readSections({ url: "https://e.org/", html: "" })).toEqual([]);
});
