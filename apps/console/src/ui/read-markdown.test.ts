import { expect, it } from "vitest";
import { readMarkdown } from "./read-markdown.ts";
import { writeHtml } from "./write-html.ts";

const REPORT =
  "# Granite <b>\n\nIt is **cut** by wire. [[1]](https://e.org/a)[[2]](https://e.org/b)\n\n- one\n- _two_\n\n## Sources\n\n1. [How](https://e.org/a)\n2. [bad](javascript:alert)";

it("reads headings, paragraphs, lists, links and citations, and nothing else", () => {
  expect(readMarkdown(REPORT)).toEqual([
    { kind: "heading", level: 1, content: [{ kind: "text", text: "Granite <b>" }] },
    {
      kind: "paragraph",
      content: [
        { kind: "text", text: "It is " },
        { kind: "strong", text: "cut" },
        { kind: "text", text: " by wire. " },
        { kind: "citation", text: "1", url: "https://e.org/a" },
        { kind: "citation", text: "2", url: "https://e.org/b" },
      ],
    },
    {
      kind: "list",
      isOrdered: false,
      items: [[{ kind: "text", text: "one" }], [{ kind: "em", text: "two" }]],
    },
    { kind: "heading", level: 2, content: [{ kind: "text", text: "Sources" }] },
    {
      kind: "list",
      isOrdered: true,
      items: [
        [{ kind: "link", text: "How", url: "https://e.org/a" }],
        [{ kind: "text", text: "[bad](javascript:alert)" }],
      ],
    },
  ]);
});

it("writes a page of HTML in which nothing of the text is HTML", () => {
  const html = writeHtml("A & B", readMarkdown(REPORT));
  expect(html).toContain("<title>A &amp; B</title>");
  expect(html).toContain("<h1>Granite &lt;b&gt;</h1>");
  expect(html).toContain('<sup><a href="https://e.org/a">1</a></sup>');
  expect(html).not.toContain("<b>");
});
