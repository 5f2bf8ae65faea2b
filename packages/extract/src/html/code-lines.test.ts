import { describe, expect, it } from "vitest";
import { findWrongOffset } from "../check-offsets.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { sourceRangeOf } from "../offset-map.ts";
import { extractHtml } from "./extract-html.ts";
import { parsePage } from "./parse-page.ts";
import { findBlocks } from "./text-blocks.ts";

function blocksOf(html: string): readonly string[] {
  return findBlocks(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS).blocks.map(({ text }) => text);
}

describe("a block of code whose lines are elements", () => {
  it.each([
    ["of divs", "<pre><code><div>a {</div><div>  b;</div><div>}</div></code></pre>"],
    ["of divs with breaks between", "<pre><div>a {</div>\n<div>  b;</div>\n<div>}</div></pre>"],
    ["of a list", '<pre><ol class="linenums"><li><b>a</b> {</li><li>  b;</li><li>}</li></ol></pre>'],
    [
      "of a table",
      "<pre><table><tr><td></td><td>a {</td></tr><tr><td></td><td>  b;</td></tr><tr><td></td><td>}</td></tr></table></pre>",
    ],
  ])("is one block: %s", (_name, html) => {
    expect(blocksOf(`<p>Before.</p>${html}<p>After.</p>`)).toEqual(["Before.", "a {\n  b;\n}", "After."]);
  });

  it.each(["\r\n", "\r"])(
    "breaks with LF alone where the source has %j, and its offsets stay those of the source",
    (lineBreak) => {
      const html = ["<p>Before the code.</p><pre>", "a &amp;&amp; b", "", "  c</pre>"].join(lineBreak);
      const document = extractHtml({ url: "https://e.example/", html });
      expect(document.text).toBe("Before the code.\n\na && b\n\n  c");
      expect(document.codeBlocks.map(({ text }) => text)).toEqual(["a && b\n\n  c"]);
      expect(document.markdown).not.toContain("\r");
      expect(findWrongOffset(html, document)).toBeUndefined();
      const last = document.text.indexOf("  c");
      expect(sourceRangeOf(document.offsets, last, last + 3)).toEqual({
        start: html.indexOf("  c"),
        end: html.indexOf("</pre>"),
      });
    },
  );

  it("keeps its empty lines", () => {
    expect(blocksOf("<pre><div>a</div><div><br></div><div>b</div></pre>")).toEqual(["a\n\nb"]);
  });

  it("ends where a page goes on in a <pre> that was never closed", () => {
    expect(blocksOf("<pre>code<h2>Next</h2><div>Text</div>")).toEqual(["code", "Next", "Text"]);
  });

  it("keeps an empty line that is an element with nothing but its break", () => {
    const empty = '<div><span style="display:inline-block">\n</span></div>';
    expect(blocksOf(`<pre><div>a</div>${empty}<div>b</div></pre>`)).toEqual(["a\n\nb"]);
    expect(blocksOf("<pre><div>a\n</div><div>\n</div><div>b\n</div></pre>")).toEqual(["a\n\nb"]);
    expect(blocksOf("<pre><code><div><div>a</div>\n<div>b</div></div></code></pre>")).toEqual(["a\nb"]);
    const row = (line: string): string => `<tr><td></td><td>${line}</td></tr>`;
    expect(blocksOf(`<pre><table>${row("a")}${row("\n")}${row("b")}</table></pre>`)).toEqual(["a\n\nb"]);
  });

  it("comes without the lines that nobody sees", () => {
    expect(blocksOf('<pre><div>a</div><div hidden>x</div><div style="display:none">y</div><div>b</div></pre>')).toEqual(
      ["a\nb"],
    );
  });

  it.each([
    ["in a cell", "<table><tr><td><pre>9\n10\n11</pre></td>\n<td><pre>a\nb\nc</pre></td></tr></table>"],
    [
      "in a cell beside lines that are elements",
      "<table><tr><td><pre>1<br>2<br>3<br></pre></td><td><pre><div>a</div><div>b</div><div>c</div></pre></td></tr></table>",
    ],
    ["in a column of that name", '<div><pre class="lineno">9\n10\n11</pre><div><pre>a\nb\nc</pre></div></div>'],
    ["in a column of two names", '<div class="line-numbers"><pre>9\n10\n11</pre></div><pre>a\nb\nc</pre>'],
  ])("comes without the numbers beside it: %s", (_name, html) => {
    expect(blocksOf(`<div>${html}</div>`)).toEqual(["a\nb\nc"]);
  });

  it.each([
    ["what a program wrote", "<p>Output:</p><pre>0\n1\n2\n3</pre>", ["Output:", "0\n1\n2\n3"]],
    ["code that is to have numbers", '<pre class="line-numbers">0\n1\n2</pre>', ["0\n1\n2"]],
    [
      "a cell beside other text",
      "<table><tr><td><pre>1\n2\n3</pre></td><td>Numbers</td></tr></table>",
      ["1\n2\n3", "Numbers"],
    ],
    [
      "a cell beside shorter code",
      "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>6</pre></td></tr></table>",
      ["1\n2\n3", "6"],
    ],
    [
      "what only begins like that",
      "<table><tr><td><pre>1\n2 apples</pre></td><td><pre>a\nb</pre></td></tr></table>",
      ["1\n2 apples", "a\nb"],
    ],
  ])("does not take for numbers of lines %s", (_name, html, expected) => {
    expect(blocksOf(html)).toEqual(expected);
  });
});
