import { verifies } from "@quarry/tests";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { findWrongOffset } from "./check-offsets.ts";
import { sourceRangeOf } from "./offset-map.ts";
import { extractPage, type ExtractOutcome } from "./extract-page.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { onePagePdf } from "./testing-pdf.ts";

const url = "https://example.org/file";
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const EPUB = "application/epub+zip";
const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const core =
  '<cp:coreProperties xmlns:cp="x" xmlns:dc="y" xmlns:dcterms="z"><dc:title>Yearly report</dc:title><dc:creator>Ann Lee</dc:creator><dcterms:created>2023-04-05T10:00:00Z</dcterms:created></cp:coreProperties>';

function documentOf(outcome: ExtractOutcome): Extract<ExtractOutcome, { kind: "extracted" }>["document"] {
  if (outcome.kind !== "extracted") throw new Error(outcome.message);
  return outcome.document;
}

const docx = zipSync({
  "[Content_Types].xml": utf8(
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  ),
  "_rels/.rels": utf8(
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
  ),
  "word/document.xml": utf8(
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Results</w:t></w:r></w:p><w:p><w:r><w:t>Sales grew by a tenth.</w:t></w:r></w:p></w:body></w:document>',
  ),
  "docProps/core.xml": utf8(core),
});

describe("extractPage", () => {
  it("reads bytes of HTML in their own encoding", async () => {
    const bytes = Buffer.from(
      '<meta charset="iso-8859-1"><p>caf\u00e9 and a few more words for the sake of it</p>',
      "latin1",
    );
    expect(documentOf(await extractPage({ url, bytes, mediaType: "text/html" })).text).toContain("café");
  });

  it("keeps plain text as it is", async () => {
    const { text, offsets, title } = documentOf(
      await extractPage({ url, html: "First\n\n  second", mediaType: "text/plain" }),
    );
    expect({ text, offsets, title }).toEqual({ text: "First\n\n  second", offsets: [0, 15, 0, 15], title: "First" });
  });

  it("gives plain text and Markdown LF for the CRLF of their source, and keeps their offsets", async () => {
    const html = "# One\r\n\r\n```js\r\na\r\n```\r\n";
    const document = documentOf(await extractPage({ url, html, mediaType: "text/markdown" }));
    expect(document.text).toBe("# One\n\n```js\na\n```\n");
    expect(document.codeBlocks.map(({ text }) => text)).toEqual(["a"]);
    expect(sourceRangeOf(document.offsets, 13, 14)).toEqual({ start: 16, end: 17 });
    expect(findWrongOffset(html, document)).toBeUndefined();
  });

  verifies("extract:types:plain-and-markdown", "reads headings, code and links of Markdown", async () => {
    const html = "# Title\n\nSee [this](/x).\n\n```js\n# not a heading\n```\n";
    const document = documentOf(await extractPage({ url, html, mediaType: "text/markdown" }));
    expect(document.headings.map(({ text }) => text)).toEqual(["Title"]);
    expect(document.codeBlocks).toEqual([{ language: "js", text: "# not a heading", start: 32, end: 48 }]);
    expect(document.links.map((link) => link.url)).toEqual(["https://example.org/x"]);
  });

  verifies("extract:types:docx", "reads a Word document", async () => {
    const document = documentOf(await extractPage({ url, bytes: docx, mediaType: DOCX }));
    const { title, author, publishedDate, text, markdown } = document;
    expect({ title, author, publishedDate, text, markdown }).toEqual({
      title: "Yearly report",
      author: "Ann Lee",
      publishedDate: "2023-04-05T10:00:00Z",
      text: "Results\n\nSales grew by a tenth.",
      markdown: "# Results\n\nSales grew by a tenth.",
    });
  });

  verifies("extract:types:pptx", "reads the slides of a deck in their order", async () => {
    const slide = (title: string, text: string): Uint8Array =>
      utf8(
        `<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:pPr/><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
      );
    const bytes = zipSync({
      "ppt/slides/slide10.xml": slide("Last", "ten"),
      "ppt/slides/slide2.xml": slide("Second", "two"),
      "ppt/slides/slide1.xml": slide("First", "one &amp; only"),
    });
    const document = documentOf(await extractPage({ url, bytes, mediaType: PPTX }));
    expect(document.markdown).toBe("## First\n\none & only\n\n## Second\n\ntwo\n\n## Last\n\nten");
  });

  verifies("extract:types:epub", "reads a book in the order of its spine", async () => {
    const bytes = zipSync({
      "META-INF/container.xml": utf8(
        '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
      ),
      "OEBPS/book.opf": utf8(
        '<package><metadata><dc:title>A Book</dc:title><dc:creator>B. Writer</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="two" href="c2.xhtml"/><item id="one" href="c1.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
      ),
      "OEBPS/c1.xhtml": utf8("<html><body><h1>One</h1><p>It began.</p></body></html>"),
      "OEBPS/c2.xhtml": utf8("<html><body><h1>Two</h1><p>It ended.</p></body></html>"),
    });
    const document = documentOf(await extractPage({ url, bytes, mediaType: EPUB }));
    expect([document.title, document.author, document.text]).toEqual([
      "A Book",
      "B. Writer",
      "One\n\nIt began.\n\nTwo\n\nIt ended.",
    ]);
  });

  it("reads the slides in the order of the presentation, with the lines of a shape and a cell apart", async () => {
    const slide = (inside: string): Uint8Array => utf8(`<p:sld><p:sp><p:txBody>${inside}</p:txBody></p:sp></p:sld>`);
    const bytes = zipSync({
      "ppt/presentation.xml": utf8(
        '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId3"/><p:sldId r:id="rId2" id="257"/></p:sldIdLst></p:presentation>',
      ),
      "ppt/_rels/presentation.xml.rels": utf8(
        '<Relationships><Relationship Id="rId2" Target="slides/slide1.xml"/><Relationship Id="rId3" Target="/ppt/slides/slide2.xml"/></Relationships>',
      ),
      "ppt/slides/slide1.xml": slide("<a:p><a:r><a:t>The end</a:t></a:r></a:p>"),
      "ppt/slides/slide2.xml": utf8(
        `<p:sld><p:sp><p:txBody><a:p><a:r><a:t>Hello</a:t></a:r><a:br/><a:r><a:t>World</a:t></a:r></a:p></p:txBody></p:sp>
         <a:tbl><a:tr><a:tc><a:p><a:t>a</a:t></a:p><a:p><a:t>b</a:t></a:p></a:tc><a:tc><a:p><a:t>c</a:t></a:p></a:tc></a:tr>
         <a:tr><a:tc><a:p><a:t>1</a:t></a:p></a:tc><a:tc><a:p><a:t>2</a:t></a:p></a:tc></a:tr></a:tbl></p:sld>`,
      ),
    });
    const document = documentOf(await extractPage({ url, bytes, mediaType: PPTX }));
    expect(document.text).toBe("Hello World\n\na b | c\n1 | 2\n\nThe end");
  });

  it("finds chapters by relative and escaped addresses, and reads on after elements that close themselves", async () => {
    const bytes = zipSync({
      "META-INF/container.xml": utf8('<container><rootfile full-path="OPS/pkg/book.opf"/></container>'),
      "OPS/pkg/book.opf": utf8(
        `<package><manifest><item id="a" href="../Text/Kapitel%20%C3%BC.xhtml"/><item id="b" href='./it"s%2C &amp; 50%.xhtml'/></manifest>
         <spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
      ),
      "OPS/Text/Kapitel ü.xhtml": utf8(
        '<html><body><p>One<a id="p1"/></p><script src="x.js"/><title/><p>Two</p></body></html>',
      ),
      'OPS/pkg/it"s%2C & 50%.xhtml': utf8("<html><body><p>Three</p></body></html>"),
    });
    const document = documentOf(await extractPage({ url, bytes, mediaType: EPUB }));
    expect(document.text).toBe("One\n\nTwo\n\nThree");
  });

  it("reads XHTML as XHTML where the server says so, and as HTML elsewhere", async () => {
    const html = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><title>T</title></head>
      <body><h1>T</h1><p>The text of the page is here, after a script that closes itself.<br/></p></body></html>`;
    const read = async (mediaType: string): Promise<string> =>
      documentOf(await extractPage({ url, html, mediaType })).text;
    expect(await read("application/xhtml+xml")).toContain("The text of the page is here");
    expect(await read("text/html")).toBe("");
  });

  it("reads a PDF", async () => {
    const bytes = onePagePdf(["Hello from a page", "with a second line"]);
    const document = documentOf(await extractPage({ url, bytes, mediaType: "application/octet-stream" }));
    expect(document.mediaType).toBe("application/pdf");
    expect(document.text).toContain("Hello from a page");
    expect(document.text).toContain("with a second line");
  });

  it.each(["application/pdf", DOCX, PPTX, EPUB])("answers `broken` for a broken %s", async (mediaType) => {
    const outcome = await extractPage({ url, bytes: utf8("this is something else"), mediaType });
    expect(outcome).toMatchObject({ kind: "failed", reason: "broken" });
  });

  it("reads Markdown written to hurt in linear time", async () => {
    const hostile = [
      "```a\n".repeat(200_000),
      `# ${"x ".repeat(400_000)}${" ".repeat(400_000)}x`,
      `# a${" #".repeat(400_000)} b`,
      "# heading\n```\ncode\n```\n".repeat(40_000),
      "[".repeat(1_000_000),
      "[a](".repeat(300_000),
    ];
    const begin = performance.now();
    for (const html of hostile) documentOf(await extractPage({ url, html, mediaType: "text/markdown" }));
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it("reads JSON-LD written to hurt in linear time", async () => {
    const begin = performance.now();
    for (const json of ["/* ".repeat(300_000), "<!-- ".repeat(190_000), '"'.repeat(900_001), "[,".repeat(400_000)])
      documentOf(await extractPage({ url, html: `<script type="application/ld+json">${json}</script><p>x</p>` }));
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it.each([
    ["a deck without slides", PPTX, { "ppt/presentation.xml": utf8("<p/>") }],
    ["a deck whose slide is no XML", PPTX, { "ppt/slides/slide1.xml": utf8("<<<&&&\u0000") }],
    [
      "a book whose chapters are missing",
      EPUB,
      { "a.opf": utf8('<item id="a" href="%zz%ff.xhtml"/><itemref idref="a"/>') },
    ],
    ["a book that is its own chapter", EPUB, { "a.opf": utf8('<item id="a" href="a.opf"/><itemref idref="a"/>') }],
  ])("reads what there is in %s", async (_, mediaType, parts) => {
    const outcome = await extractPage({ url, bytes: zipSync(parts), mediaType });
    expect(outcome).toMatchObject({ kind: "extracted", document: { mediaType } });
  });

  it.each([
    ["a book without a package", EPUB, { "x.html": utf8("<p>x</p>") }],
    ["a Word document without a body", DOCX, { "word/styles.xml": utf8("<w:styles/>") }],
  ])("answers `broken` for %s", async (_, mediaType, parts) => {
    const outcome = await extractPage({ url, bytes: zipSync(parts), mediaType });
    expect(outcome).toMatchObject({ kind: "failed", reason: "broken" });
  });

  it("answers in kind for a part that unpacks to more than it declares", async () => {
    const bytes = zipSync({ "ppt/slides/slide1.xml": utf8(`<p:txBody>${"<a:p>word</a:p>".repeat(5_000)}`) });
    // the size an archive declares, in the local header and in the directory at its end
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 46 < bytes.length; at += 1) {
      if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, 10, true);
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
    }
    const outcome = await extractPage({ url, bytes, mediaType: PPTX });
    if (outcome.kind === "extracted") expect(outcome.document.text.length).toBeLessThan(100);
    else expect(outcome.reason).toBe("broken");
  });

  it("stops at the limit of parts and says so", async () => {
    const slide = utf8("<p:txBody><a:p><a:t>word</a:t></a:p></p:txBody>");
    const parts = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`ppt/slides/slide${index + 1}.xml`, slide]),
    );
    const limits = { ...DEFAULT_LIMITS, maxParts: 10 };
    const document = documentOf(await extractPage({ url, bytes: zipSync(parts), mediaType: PPTX, limits }));
    expect([document.text.split("word").length - 1, document.limitsReached]).toEqual([10, ["maxParts"]]);
  });

  it.each([0.2, 0.5, 0.9, 0.99])("answers in kind for a PDF cut at %d", async (share) => {
    const whole = onePagePdf(["Hello from a page"]);
    const bytes = whole.subarray(0, Math.floor(whole.length * share));
    const outcome = await extractPage({ url, bytes, mediaType: "application/pdf", pdfTimeoutMs: 5_000 });
    expect(outcome.kind === "extracted" || outcome.reason === "broken").toBe(true);
  });

  it("answers `too-large` for an archive that unpacks past the limit", async () => {
    const limits = { ...DEFAULT_LIMITS, maxUnpackedBytes: 100 };
    expect(await extractPage({ url, bytes: docx, mediaType: DOCX, limits })).toMatchObject({
      kind: "failed",
      reason: "too-large",
    });
  });

  it("answers `unsupported-type` for what has no text", async () => {
    expect(await extractPage({ url, bytes: utf8("x"), mediaType: "image/png" })).toEqual({
      kind: "failed",
      reason: "unsupported-type",
      message: "no text can be read from image/png",
    });
  });
});
