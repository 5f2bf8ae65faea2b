import { readFileSync, readdirSync } from "node:fs";
import { verifies } from "@quarry/tests";
import { parseHTML } from "linkedom";
import { marked } from "marked";
import { describe, expect } from "vitest";
import { extractHtml } from "./extract-html.ts";

const fixtures = new URL("../../fixtures/", import.meta.url);
const PROSE = "A sentence of some length that says something of its own, so that the page is read as an article.";

/** What HTML holds of tables, code and links, as another program reads it. */
interface Parts {
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly code: readonly { readonly language: string; readonly text: string }[];
  readonly links: readonly { readonly url: string; readonly text: string }[];
}

interface PartElement {
  readonly textContent: string;
  readonly querySelectorAll: (selector: string) => Iterable<PartElement>;
  readonly getAttribute: (name: string) => string | null;
}

function readParts(html: string): Parts {
  // linkedom's types name the browser's, which this project does not load
  const { document } = parseHTML(`<html><body>${html}</body></html>`) as unknown as { readonly document: PartElement };
  const all = (selector: string, within: PartElement = document): readonly PartElement[] => [
    ...within.querySelectorAll(selector),
  ];
  const plain = (element: PartElement): string => element.textContent.replaceAll(/\s+/g, " ").trim();
  return {
    tables: all("table").map((table) => all("tr", table).map((row) => all("th, td", row).map(plain))),
    code: all("pre").map((pre) => ({
      language: /language-([\w+#-]+)/.exec(all("code", pre)[0]?.getAttribute("class") ?? "")?.[1] ?? "",
      text: pre.textContent.replace(/\n$/, ""),
    })),
    links: all("a[href]").map((link) => ({
      // brackets and parentheses are written as %5B and %28: the same address
      url: decodeURIComponent(link.getAttribute("href") ?? ""),
      text: plain(link),
    })),
  };
}

/** The Markdown of a page, turned into HTML again by a program that we did not write. */
function roundTrip(html: string, url = "https://fixture.example/a/page"): Parts {
  return readParts(marked.parse(extractHtml({ url, html }).markdown, { async: false }));
}

describe("Markdown that is read by another program", () => {
  verifies("promises:t29:extraction", "gives back the tables, the code and the links of the page", () => {
    const body = `
      <h1>What survives</h1><p>${PROSE}</p>
      <p>${PROSE} See <a href="https://a.example/x_(y)?q=1&amp;r=[2]">the <em>long</em> list</a> and
        <a href="https://a.example/a%20b#c*d*">a *starred* [note]</a>, or <a href="https://a.example/">back\`tick</a>.</p>
      <table><thead><tr><th>Name</th><th>a | b</th></tr></thead><tbody>
        <tr><td>pipe \\| escaped</td><td>*no* emphasis, _none_</td></tr>
        <tr><td></td><td>1 &lt; 2 &amp; 3</td></tr></tbody></table>
      <p>${PROSE}</p>
      <pre><code class="language-ts">const fence = "\`\`\`";\n\n  if (a &lt; b &amp;&amp; c) {\n\treturn [a](b);\n  }</code></pre>
      <p>${PROSE}</p>
      <pre><code>| not | a table |\n# not a heading\n    indented</code></pre><p>${PROSE}</p>`;
    expect(roundTrip(`<main><article>${body}</article></main>`)).toEqual(readParts(body));
  });

  verifies("promises:t29:extraction", "gives back what the fixtures' main parts hold", () => {
    let compared = 0;
    for (const slug of readdirSync(fixtures)) {
      const html = readFileSync(new URL(`${slug}/source.html`, fixtures), "utf8");
      const { url } = JSON.parse(readFileSync(new URL(`${slug}/expected.json`, fixtures), "utf8")) as {
        readonly url: string;
      };
      const document = extractHtml({ url, html });
      const [source, back] = [readParts(html), roundTrip(html, url)];
      const isKept = (text: string | undefined): boolean =>
        text !== undefined && text !== "" && document.text.includes(text);
      const expected = {
        tables: source.tables.filter((rows) => isKept(rows[1]?.[0])),
        code: document.codeBlocks.map(({ language, text }) => ({ language, text })),
      };
      expect({ tables: back.tables, code: back.code }, slug).toEqual(expected);
      const urls = new Set(back.links.map((link) => link.url));
      const lost = document.links.filter((link) => link.inMain && !urls.has(decodeURIComponent(link.url)));
      expect(lost, slug).toEqual([]);
      compared += back.tables.length + back.code.length + back.links.length;
    }
    expect(compared).toBeGreaterThan(10);
  });
});
