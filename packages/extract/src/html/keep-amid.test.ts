import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { extractHtml } from "./extract-html.ts";
import { keepAmid } from "./keep-amid.ts";
import { parsePage } from "./parse-page.ts";
import { findBlocks } from "./text-blocks.ts";

const SENTENCES = [
  "The harbour was built in 1874, when the herring came back to the coast after an absence of thirty years.",
  "Engineers from the capital drew the plans, but the stone was cut by families who had quarried for generations.",
  "By the turn of the century some four hundred boats called the place home, and the auction could be heard in church.",
  "Today the place lives from visitors, a small yard that repairs wooden hulls, and a station that counts seals.",
  "The council plans to deepen the basin next spring, so that the ferry can turn without the help of a tug.",
  "Not everybody is pleased: the oldest pier would have to go, and with it the last boathouse with a turf roof.",
];

/** An article with something in its middle. */
function markdownOf(inside: string): string {
  const [first, second, ...others] = SENTENCES.map((sentence) => `<p>${sentence}</p>`);
  const body = `<h1>The harbour</h1>${first}${second}${inside}${others.join("")}`;
  const html = `<title>The harbour | Coast</title><meta property="og:type" content="article">
    <nav><a href="/">Coast</a></nav><main><article>${body}</article></main><footer>© Coast</footer>`;
  return extractHtml({ url: "https://e.example/harbour", html, now: new Date("2030-01-01") }).markdown;
}

describe("what stands amid the text of an article", () => {
  it.each([
    [
      "a table",
      "<figure><table><tr><th>Year</th><th>Boats</th></tr><tr><td>1880</td><td>120</td></tr><tr><td>1900</td><td>412</td></tr></table></figure>",
      "| Year | Boats |\n| --- | --- |\n| 1880 | 120 |\n| 1900 | 412 |",
    ],
    [
      "a list in a list",
      "<ul><li>basin</li><li>berth<ul><li>ramp</li><li>lights</li></ul></li><li>loft</li></ul>",
      "- basin\n- berth\n    - ramp\n    - lights\n- loft",
    ],
    [
      "short terms",
      "<dl><dt>Draught</dt><dd>How deep a hull lies.</dd><dt>Tug</dt><dd>A small boat.</dd></dl>",
      "**Draught**\n: How deep a hull lies.\n\n**Tug**\n: A small boat.",
    ],
    ["code", "<div><pre><code>a\nb\n</code></pre></div>", "```\na\nb\n```"],
  ])("is kept whole: %s", (_name, inside, expected) => {
    expect(markdownOf(inside)).toContain(`\n\n${expected}\n\n`);
  });

  it("may say twice what it says", () => {
    const cell = "<td>Open all year, with water, light and a crane of five tons</td>";
    const table = `<table><tr><th>Berth</th><th>What it has</th></tr><tr><td>North</td>${cell}</tr><tr><td>South</td>${cell}</tr></table>`;
    const code = "<pre><code>curl --request POST https://e.example/berths</code></pre>";
    const markdown = markdownOf(`${table}${code}<p>A second time, for another berth.</p>${code}`);
    expect(markdown.match(/Open all year, with water, light and a crane/g)?.length).toBe(2);
    expect(markdown.match(/curl --request POST/g)?.length).toBe(2);
  });

  it("is one table, though the page has a copy of it for small screens", () => {
    const table = `<table><tr><th>Year</th><th>Boats</th></tr>${[1880, 1890, 1900, 1910].map((year) => `<tr><td>${String(year)}</td><td>about ${String(year - 1600)} boats</td></tr>`).join("")}</table>`;
    const markdown = markdownOf(`<div class="wide">${table}</div><div class="narrow">${table}</div>`);
    expect(markdown.match(/\| 1900 \| about 300 boats \|/g)?.length).toBe(1);
  });

  it.each([
    ["a list of other pages", '<ul><li><a href="/1">Ferry strike</a></li><li><a href="/2">Storm</a></li></ul>'],
    ["a list that says what it is", '<div class="related-posts"><ul><li>Ferry strike</li><li>Storm</li></ul></div>'],
    ["a list of a form", "<form><ul><li>Ferry strike</li><li>Storm</li></ul></form>"],
  ])("is not %s", (_name, inside) => {
    expect(markdownOf(inside)).not.toContain("Storm");
  });

  it("is found without looking through the page for each", () => {
    const { blocks } = findBlocks(parsePage("<pre>a</pre><p>b</p>".repeat(1_000), DEFAULT_LIMITS).root, DEFAULT_LIMITS);
    let reads = 0;
    const selected = new Proxy<boolean[]>(
      blocks.map((_, index) => index === 0),
      {
        get: (target, key, receiver): unknown => {
          reads += 1;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    expect(keepAmid(blocks, selected, "article")).toHaveLength(2_000);
    expect(reads).toBeLessThan(10 * blocks.length);
  });
});
