import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { walkTree, type PageElement } from "./page-tree.ts";
import { parsePage, type PageSyntax } from "./parse-page.ts";

function outline(html: string, syntax?: PageSyntax): string {
  const parts: string[] = [];
  walkTree(
    parsePage(html, DEFAULT_LIMITS, syntax).root,
    (node) => {
      parts.push(node.kind === "text" ? node.data : `<${node.tag}>`);
      return true;
    },
    (element) => parts.push(`</${element.tag}>`),
  );
  return parts.join("").replace(/^<#root>|<\/#root>$/g, "");
}

describe("parsePage", () => {
  it.each([
    ["<p>one<p>two", "<p>one</p><p>two</p>"],
    ["<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"],
    ["<table><tr><td>a<td>b<tr><td>c</table>", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"],
    ["<div><span>a</div>b", "<div><span>a</span></div>b"],
    ["<table><tr><td></div>a</td></tr></table>", "<table><tr><td>a</td></tr></table>"],
    ["<br>a</br>", "<br></br>a"],
    ["a<![CDATA[ b>c", "ac"],
    ["<script>a<b></script>c", "<script></script>c"],
    ["<svg><path/></svg>x", "<svg><path></path></svg>x"],
    ["a < b <3 c", "a < b <3 c"],
    ["a<!-- b --!>c<!-->d<!--->e<!-- f --> g<!doctype x>h<?php x ?>i", "acde ghi"],
    ["a</ b>c</>d", "acd"],
    ["<title>a<b>&lt;</title>c", "<title>a<b><</title>c"],
    ["<SCRIPT>'</scripty>'</Script >c", "<script></script>c"],
    ["<textarea><p>x", "<textarea><p>x</textarea>"],
    ["&copy2024 &notit; &amp;lt; &bogus; & &#x41;&#66;", "©2024 ¬it; &lt; &bogus; & AB"],
    ["<p>a<b", "<p>a</p>"],
    ["<p>a</b", "<p>a</p>"],
    ["<p>a<!-- b", "<p>a</p>"],
    ["<", "<"],
  ])("reads %s", (html, expected) => {
    expect(outline(html)).toBe(expected);
  });

  it("reads attributes in all their spellings, the first of a name only", () => {
    const html = `<a HREF=x/y class='one  two'id="i" title = "&lt;&copy" hidden =lang="de" lang=fr data-no=1 / class=z>t</a>`;
    const link = parsePage(html, DEFAULT_LIMITS).root.children[0] as PageElement;
    expect(link.attributes).toEqual({
      href: "x/y",
      class: "one  two",
      id: "i",
      title: "<©",
      hidden: 'lang="de"',
      lang: "fr",
    });
  });

  it("stops at the limit of nodes inside one text too", () => {
    const { root, limitsReached } = parsePage("&amp;".repeat(1_000), { ...DEFAULT_LIMITS, maxNodes: 100 });
    expect([root.children.length, limitsReached]).toEqual([100, ["maxNodes"]]);
  });

  it.each(["xml", "xhtml"] as const)("takes CDATA for text as %s", (syntax) => {
    expect(outline("<t><![CDATA[a<b>&amp;]]></t>", syntax)).toBe("<t>a<b>&amp;</t>");
    expect(outline("<t><![CDATA[]]>a<![CDATA[ b>c<![CDATA[ d>e</t>", syntax)).toBe("<t>ace</t>");
  });

  it("lets every element close itself in XML", () => {
    expect(outline("<a:p><a:pPr/><a:t>x</a:t></a:p>", "xml")).toBe("<a:p><a:ppr></a:ppr><a:t>x</a:t></a:p>");
  });

  it("gives text and entities their places in the source", () => {
    const html = "<p>a &amp; b</p>";
    const paragraph = parsePage(html, DEFAULT_LIMITS).root.children[0] as PageElement;
    expect(paragraph.children.map((node) => html.slice(node.start, node.end))).toEqual(["a ", "&amp;", " b"]);
    expect(html.slice(paragraph.start, paragraph.end)).toBe(html);
  });

  it("flattens what is nested deeper than the limit and closes it again", () => {
    const html = `${"<div>".repeat(100_000)}deep${"</div>".repeat(100_000)}<p>after</p>`;
    const page = parsePage(html, DEFAULT_LIMITS);
    expect(page.limitsReached).toEqual(["maxDepth"]);
    expect(outline(html).endsWith("</div><p>after</p>")).toBe(true);
  });

  it("stops at the limit of nodes", () => {
    const page = parsePage("<b>x</b>".repeat(1_000), { ...DEFAULT_LIMITS, maxNodes: 100 });
    expect(page.limitsReached).toEqual(["maxNodes"]);
    expect(page.root.children.length).toBeLessThan(110);
  });
});
