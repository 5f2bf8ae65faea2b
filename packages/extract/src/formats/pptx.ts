import type { ExtractedDocument } from "../extracted-document.ts";
import { parsePage } from "../html/parse-page.ts";
import { textOf, walkTree, type PageElement } from "../html/page-tree.ts";
import type { ExtractLimits } from "../limits.ts";
import { writeWhole } from "../whole-document.ts";
import { escapeHtml } from "./escape-html.ts";
import { readDublinCore } from "./office-facts.ts";
import { partText, unpackArchive } from "./unpack-archive.ts";

const PARTS = /^(?:ppt\/slides\/slide\d+\.xml|docProps\/core\.xml)$/;

/** Extracts a PowerPoint deck, a heading and its paragraphs for each slide; throws when the bytes are none. */
export function extractPptx(
  input: { readonly url: string; readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): ExtractedDocument | "too-large" {
  const parts = unpackArchive(input.bytes, PARTS, limits);
  if (parts === "too-large") return parts;
  const slides = Object.keys(parts)
    .filter((name) => name.startsWith("ppt/"))
    .sort((one, other) => slideNumber(one) - slideNumber(other));
  const html = slides.slice(0, limits.maxParts).map((name) => writeSlide(partText(parts, name), limits));
  const facts = readDublinCore(partText(parts, "docProps/core.xml"), limits);
  const document = writeWhole(html.join("\n"), { ...facts, url: input.url, mediaType: input.mediaType }, limits);
  return slides.length > limits.maxParts
    ? { ...document, limitsReached: [...document.limitsReached, "maxParts"] }
    : document;
}

function slideNumber(name: string): number {
  return Number(/(?<!\d)(\d+)\.xml$/.exec(name)?.[1] ?? 0);
}

function writeSlide(xml: string, limits: ExtractLimits): string {
  const lines: string[] = [];
  walkTree(parsePage(xml, limits, "xml").root, (node) => {
    if (node.kind === "text") return false;
    if (node.tag === "a:tbl") {
      lines.push(writeTable(node));
      return false;
    }
    if (node.tag !== "p:txbody") return true;
    const shape = node.parent;
    const isTitle = shape !== undefined && isTitleShape(shape);
    for (const paragraph of childrenOf(node, "a:p")) {
      const text = escapeHtml(textOf(paragraph, 20_000));
      if (text !== "") lines.push(isTitle ? `<h2>${text}</h2>` : `<p>${text}</p>`);
    }
    return false;
  });
  return lines.join("\n");
}

function isTitleShape(shape: PageElement): boolean {
  let found = false;
  walkTree(shape, (node) => {
    if (node.kind === "element" && node.tag === "p:ph") found ||= /title/i.test(node.attributes["type"] ?? "");
    return !found;
  });
  return found;
}

function writeTable(table: PageElement): string {
  const rows = childrenOf(table, "a:tr").map(
    (row) =>
      `<tr>${childrenOf(row, "a:tc")
        .map((cell) => `<td>${escapeHtml(textOf(cell, 5_000))}</td>`)
        .join("")}</tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function childrenOf(element: PageElement, tag: string): readonly PageElement[] {
  return element.children.filter((child) => child.kind === "element" && child.tag === tag) as readonly PageElement[];
}
