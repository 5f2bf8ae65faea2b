import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { readRole } from "./block-role.ts";
import { parsePage } from "./parse-page.ts";
import { findBlocks } from "./text-blocks.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** The Markdown of a whole page, whatever a reader would leave out of it. */
function markdownOf(html: string): string {
  const { blocks } = findBlocks(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS);
  const resolve = (href: string): string | undefined =>
    href.startsWith("#") || href === "" ? undefined : new URL(href, "https://example.org/").href;
  return writeMarkdown(
    blocks.map((block) => ({ block, role: readRole(block) })),
    resolve,
    10_000,
  );
}

describe("writeMarkdown", () => {
  it.each([
    [
      "a table with a head",
      "<table><tr><th>a</th><th>b</th></tr><tr><td>1 | 2</td><td><b>3</b></td></tr></table>",
      "| a | b |\n| --- | --- |\n| 1 \\| 2 | **3** |",
    ],
    [
      "cells over several columns and rows",
      `<table><tr><th rowspan=2>city</th><th colspan=2>degrees</th></tr><tr><th>low</th><th>high</th></tr>
       <tr><td rowspan=2>Oslo</td><td>-10</td><td>22</td></tr><tr><td>-12</td><td>20</td></tr><tr><td>Rome</td><td>5</td><td>30</td></tr></table>`,
      "| city | degrees |  |\n| --- | --- | --- |\n|  | low | high |\n| Oslo | -10 | 22 |\n|  | -12 | 20 |\n| Rome | 5 | 30 |",
    ],
    [
      "rows that have heads of their own",
      "<table><tr><th>milk</th><td>1</td></tr><tr><th>bread</th><td>2</td></tr></table>",
      "|  |  |\n| --- | --- |\n| milk | 1 |\n| bread | 2 |",
    ],
    [
      "no columns that only a cell's width makes",
      '<table><tr><th>a</th><th>b</th></tr><tr><td colspan="99">note</td></tr><tr><td>1</td><td>2</td></tr></table>',
      "| a | b |\n| --- | --- |\n| note |  |\n| 1 | 2 |",
    ],
    [
      "cells over rows of which one is empty",
      "<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr></tr><tr><td>3</td><td>4</td></tr></table>",
      "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ],
    [
      "an empty cell over rows",
      "<table><tr><td rowspan=2></td><td></td></tr><tr><td>1</td></tr><tr><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr></table>",
      "|  |  |\n| --- | --- |\n|  | 1 |\n| 2 | 3 |\n| 4 | 5 |",
    ],
    [
      "cells over rows beside short rows",
      "<table><tr><td>1</td><td>2</td><td rowspan=3>x</td></tr><tr><td>3</td></tr><tr><td>4</td><td>5</td></tr><tr><td>6</td><td>7</td><td>8</td></tr></table>",
      "|  |  |  |\n| --- | --- | --- |\n| 1 | 2 | x |\n| 3 |  |  |\n| 4 | 5 |  |\n| 6 | 7 | 8 |",
    ],
    [
      "cells over rows up to the end of their part",
      "<table><thead><tr><th rowspan=3>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr><tr><td rowspan=0>3</td><td>4</td></tr><tr><td>5</td></tr></tbody><tfoot><tr><td>6</td><td>7</td></tr></tfoot></table>",
      "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n|  | 5 |\n| 6 | 7 |",
    ],
    [
      "a head whose first cell is none",
      "<table><tr><td>Feature</td><th>Free</th><th>Pro</th></tr><tr><td>Seats</td><td>1</td><td>9</td></tr></table>",
      "| Feature | Free | Pro |\n| --- | --- | --- |\n| Seats | 1 | 9 |",
    ],
    [
      "a head of plain cells",
      "<table><thead><tr><td>a</td><td>b</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
      "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "code with its language",
      '<pre><code class="language-rust">fn main() {\n    1 &lt; 2;\n}\n</code></pre>',
      "```rust\nfn main() {\n    1 < 2;\n}\n```",
    ],
    ["code that holds a fence", "<pre>a\n```\nb</pre>", "~~~~\na\n```\nb\n~~~~"],
    ["code that holds both fences", "<pre>```\n~~~~~\nb</pre>", "~~~~~~\n```\n~~~~~\nb\n~~~~~~"],
    ["a piece of code with backticks", "<p>Use <code>a`b</code>, <tt>``c</tt>.</p>", "Use `` a`b ``, ``` ``c ```."],
    [
      "links in code, and no emphasis",
      '<p><code>fn <b>get</b>() -&gt; <a href="/Option">Option</a>&lt;<a href="/T"><i>T</i></a>&gt;</code></p>',
      "`fn get() ->` [`Option`](https://example.org/Option)`<`[`T`](https://example.org/T)`>`",
    ],
    [
      "code in links and emphasis",
      '<p><b><a href="/a"><code>a <i>b</i></code></a> c</b></p>',
      "**[`a b`](https://example.org/a) c**",
    ],
    [
      "nested lists",
      "<ol start=3><li>three<ul><li>inner<ol><li>deep</li></ol></li></ul></li><li>four</li></ol>",
      "3. three\n    - inner\n        1. deep\n4. four",
    ],
    [
      "links, images, emphasis",
      '<p>See <a href="/a(1)"><em>this</em></a> and <img src="/i.png" alt="a [b]"> now.</p>',
      "See [*this*](https://example.org/a%281%29) and ![a b](https://example.org/i.png) now.",
    ],
    ["what would be markup", "<p>1. a * b_ `c` [d] &lt;e&gt;</p>", "1\\. a \\* b\\_ \\`c\\` \\[d\\] \\<e>"],
    ["quotes in quotes", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>", "> a\n>\n>> b"],
  ])("writes %s", (_, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });

  it("takes no square of a table's width", () => {
    const html = `<table><tr>${"<td>a</td>".repeat(300)}</tr><tr><td>b</td></tr></table>`;
    expect(markdownOf(html).split("\n").at(-1)?.split("|").length).toBe(102);
  });

  it("takes no square of a table's spans", () => {
    const html = `<table><tr>${'<td colspan="1000" rowspan="0">a</td>'.repeat(300)}</tr>${"<tr><td>b</td></tr>".repeat(9)}</table>`;
    expect(markdownOf(html).split("\n").at(-1)?.split("|").length).toBeLessThan(400);
  });

  it("writes notes and what refers to them", () => {
    const html = `<p>One thing.<sup><a href="#n1">[1]</a></sup> Another.<sup><a href="#n2">2</a></sup> <a href="#x">3</a></p>
      <ol><li id="n1"><p>First note.</p><p>It goes on. <a href="#r1">↩︎</a></p></li><li id="n2">Second <b>note</b>.</li></ol>`;
    expect(markdownOf(html)).toBe(
      "One thing.[^1] Another.[^2] 3\n\n[^1]: First note.\n\n    It goes on.\n\n[^2]: Second **note**.",
    );
  });

  it("writes a note whose number stands in an element of its own", () => {
    const html = `<p>One thing <a role="doc-noteref" href="#n1"><span>[</span>1<span>]</span></a>.</p>
      <aside id="n1" role="note"><span><span>[</span><a role="doc-backlink" href="#r1">1</a><span>]</span></span><p>First note.</p></aside>`;
    expect(markdownOf(html)).toBe("One thing [^1].\n\n[^1]: First note.");
  });

  it("leaves a raised number alone whose note is not there", () => {
    expect(markdownOf('<p>One thing.<sup><a href="#n1">1</a></sup></p>')).toBe("One thing.1");
  });

  it.each([
    ["MathML with its TeX", '<math alttext="a^{2}"><mi>a</mi><mn>2</mn></math>', "so $a^{2}$ it is"],
    [
      "KaTeX, once",
      '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><b>x</b>1</span></span>',
      "so $x_1$ it is",
    ],
    ["MathJax's scripts", '<script type="math/tex">E_u</script>', "so $E_u$ it is"],
    [
      "MediaWiki's hidden MathML, and not its picture",
      '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math alttext="x^{2}"><semantics><mi>x</mi><mn>2</mn><annotation encoding="application/x-tex">x^{2}</annotation></semantics></math></span><img src="/svg/1" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="x^{2}"></span>',
      "so $x^{2}$ it is",
    ],
    [
      "MediaWiki's formula that is a picture alone",
      '<span class="mwe-math-element"><img src="/svg/1" class="mwe-math-fallback-image-inline" alt="x"></span>',
      "so ![x](https://example.org/svg/1) it is",
    ],
    ["MathML without TeX", "<math><mi>a</mi><mo>=</mo><mn>2</mn></math>", "so a=2 it is"],
    ["a formula on its own line", '<script type="math/tex; mode=display">E_u</script>', "so  \n$$E_u$$  \nit is"],
  ])("writes %s", (_, formula, expected) => {
    expect(markdownOf(`<p>so ${formula} it is</p>`)).toBe(expected);
  });

  it("writes MediaWiki's formula between paragraphs", () => {
    const math = '<math display="block" alttext="E=mc^{2}"><mi>E</mi><mo>=</mo><mi>m</mi></math>';
    const formula = `<div class="mwe-math-element"><div class="mwe-math-mathml-display mwe-math-mathml-a11y" style="display: none;">${math}</div><img class="mwe-math-fallback-image-display" src="/svg/2" alt="E"></div>`;
    expect(markdownOf(`<div><p>so</p>${formula}<p>it is</p></div>`)).toBe("so\n\n$$E=mc^{2}$$\n\nit is");
  });
});
