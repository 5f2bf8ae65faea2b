import { describe, expect, it } from "vitest";
import { extractHtml } from "./extract-html.ts";

const SENTENCES = [
  "The harbour was built in 1874, when the herring came back to the coast after thirty years.",
  "Engineers from the capital drew the plans, but the stone was cut by families of the town.",
  "Today the place lives from visitors, a small yard that repairs hulls, and a research station.",
  "The council plans to deepen the basin next spring, so that the ferry can turn without a tug.",
];

function read(inside: string, around = "<main>"): { readonly text: string; readonly markdown: string } {
  const [first, ...others] = SENTENCES.map((sentence) => `<p>${sentence}</p>`);
  const html = `<title>Harbour</title>${around}<article><h1>Harbour</h1>${first}${inside}${others.join("")}</article>`;
  return extractHtml({ url: "https://e.example/a", html, now: new Date("2030-01-01") });
}

function textOf(inside: string, around?: string): string {
  return read(inside, around).text;
}

const SECRET = "A secret sentence about the harbour, its boats and its people, that no reader of this page can see.";

describe("text that no reader sees", () => {
  it.each([
    ["a paragraph", `<p style="display:none">${SECRET}</p>`],
    ["a part with the attribute", `<div hidden><p>${SECRET}</p><p>${SECRET} Twice.</p></div>`],
    ["an invisible paragraph", `<p style="color: red; visibility: hidden">${SECRET}</p>`],
    [
      "a piece of a line",
      `<p>A line that the reader sees<span style="display: none !important"> ${SECRET}</span>.</p>`,
    ],
    [
      "an item of a list",
      `<ul><li>The basin is five metres deep at low tide, and seven when the spring tides come in from the west.</li><li>The berths of the inner harbour have water and light, those at the outer pier have neither of both.</li><li style="display:none">${SECRET}</li></ul>`,
    ],
    [
      "a row of a table",
      `<table><tr><th>Year</th><th>Boats</th></tr><tr><td>1880</td><td>120 boats of the town, and those of its guests from the north</td></tr><tr hidden><td>1881</td><td>${SECRET}</td></tr><tr><td>1900</td><td>412 boats, more than ever before and ever since that summer</td></tr></table>`,
    ],
    ["a line of code", `<pre><div>deepen(basin);</div><div hidden>// ${SECRET}</div><div>dredge();</div></pre>`],
    ["a piece with the attribute", `<p>A line that the reader sees<b hidden> ${SECRET}</b>.</p>`],
  ])("is left out: %s", (_name, inside) => {
    const text = textOf(inside);
    expect(text).not.toContain("secret");
    expect(text).toContain(SENTENCES[3]);
  });

  it("does not mean MediaWiki's formulas", () => {
    const math = (attributes: string): string => `<math ${attributes}><mi>h</mi><mo>=</mo><mn>7</mn></math>`;
    const inline = `<p>The depth is <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;">${math('alttext="h=7"')}</span><img class="mwe-math-fallback-image-inline" src="/1" alt="h=7"></span> at low tide, the charts of the port say.</p>`;
    const display = `<div class="mwe-math-element"><div class="mwe-math-mathml-display mwe-math-mathml-a11y" style="display: none;">${math('display="block" alttext="h=7x"')}</div><img class="mwe-math-fallback-image-display" src="/2" alt="h=7x"></div>`;
    const { text, markdown } = read(inline + display);
    expect(text).toContain("The depth is h=7 at low tide");
    expect(markdown).toContain("The depth is $h=7$ at low tide");
    expect(markdown).toContain("$$h=7x$$");
  });

  it.each([
    [
      "a part among parts of its name",
      `<div class="text">One part.</div><div class="text">Another part.</div><div class="text" hidden>${SECRET}</div>`,
    ],
    ["a part without a name", `<div><div>One part.</div><div style="display:none">${SECRET}</div></div>`],
    ["a paragraph of a name", `<p class="text">A line.</p><p class="text" style="display:none">${SECRET}</p>`],
  ])("is left out beside shown text: %s", (_name, inside) => {
    expect(textOf(inside)).not.toContain("secret");
  });

  it.each([
    [
      "panels of which one is shown",
      `<div><div class="panel"><p>The first of them.</p></div><div class="panel" style="display:none"><p>${SECRET}</p></div></div>`,
    ],
    ["what a tab or an accordion opens", `<div id="more" style="display:none"><p>${SECRET}</p></div>`],
    ["what a search of the page opens", `<div hidden="until-found"><p>${SECRET}</p></div>`],
    ["another style", `<p style="backface-visibility:hidden; text-display:none">${SECRET}</p>`],
  ])("does not mean %s", (_name, inside) => {
    expect(textOf(inside)).toContain("secret");
  });

  it("does not mean a page that a script shows later", () => {
    expect(textOf("", '<main style="visibility:hidden">')).toContain(SENTENCES[0]);
  });
});
