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
      "code with its language",
      '<pre><code class="language-rust">fn main() {\n    1 &lt; 2;\n}\n</code></pre>',
      "```rust\nfn main() {\n    1 < 2;\n}\n```",
    ],
    ["code that holds a fence", "<pre>a\n```\nb</pre>", "~~~~\na\n```\nb\n~~~~"],
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

  it("writes notes and what refers to them", () => {
    const html = `<p>One thing.<sup><a href="#n1">[1]</a></sup> Another.<sup><a href="#n2">2</a></sup> <a href="#x">3</a></p>
      <ol><li id="n1"><p>First note.</p><p>It goes on. <a href="#r1">↩︎</a></p></li><li id="n2">Second <b>note</b>.</li></ol>`;
    expect(markdownOf(html)).toBe(
      "One thing.[^1] Another.[^2] 3\n\n[^1]: First note.\n\n    It goes on.\n\n[^2]: Second **note**.",
    );
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
    ["MathML without TeX", "<math><mi>a</mi><mo>=</mo><mn>2</mn></math>", "so a=2 it is"],
    ["a formula on its own line", '<script type="math/tex; mode=display">E_u</script>', "so  \n$$E_u$$  \nit is"],
  ])("writes %s", (_, formula, expected) => {
    expect(markdownOf(`<p>so ${formula} it is</p>`)).toBe(expected);
  });
});
