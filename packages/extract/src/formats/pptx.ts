import type { ExtractedDocument } from "../extracted-document.ts";
import { parsePage } from "../html/parse-page.ts";
import { collapseSpaces, walkTree, type PageElement } from "../html/page-tree.ts";
import type { ExtractLimits } from "../limits.ts";
import { writeWhole } from "../whole-document.ts";
import { escapeHtml } from "./escape-html.ts";
import { readDublinCore } from "./office-facts.ts";
import { partText, unpackArchive, type ArchiveParts } from "./unpack-archive.ts";

const PARTS =
  /^(?:ppt\/slides\/[^/]+\.xml|ppt\/presentation\.xml|ppt\/_rels\/presentation\.xml\.rels|docProps\/core\.xml)$/;

/** Extracts a PowerPoint deck, a heading and its paragraphs for each slide; throws when the bytes are none. */
export function extractPptx(
  input: { readonly url: string; readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): ExtractedDocument | "too-large" {
  const parts = unpackArchive(input.bytes, PARTS, limits);
  if (parts === "too-large") return parts;
  const slides = slidesInOrder(parts, limits);
  const html = slides.slice(0, limits.maxParts).map((name) => writeSlide(partText(parts, name), limits));
  const facts = readDublinCore(partText(parts, "docProps/core.xml"), limits);
  const document = writeWhole(html.join("\n"), { ...facts, url: input.url, mediaType: input.mediaType }, limits);
  return slides.length > limits.maxParts
    ? { ...document, limitsReached: [...document.limitsReached, "maxParts"] }
    : document;
}

/** The slides as the presentation shows them: their files are numbered in the order in which they were made. */
function slidesInOrder(parts: ArchiveParts, limits: ExtractLimits): readonly string[] {
  const byNumber = Object.keys(parts)
    .filter((name) => name.startsWith("ppt/slides/"))
    .sort((one, other) => slideNumber(one) - slideNumber(other));
  const targets = new Map(
    tagsOf(partText(parts, "ppt/_rels/presentation.xml.rels"), "relationship", limits).map((tag) => [
      attributeOf(tag, "Id"),
      attributeOf(tag, "Target").replace(/^(?:\/ppt)?\/?/, "ppt/"),
    ]),
  );
  const shown = tagsOf(partText(parts, "ppt/presentation.xml"), "p:sldid", limits).flatMap((tag) => {
    const target = targets.get(attributeOf(tag, "r:id"));
    return target !== undefined && parts[target] !== undefined ? [target] : [];
  });
  return shown.length === 0 ? byNumber : [...new Set(shown)];
}

function slideNumber(name: string): number {
  return Number(/(?<!\d)(\d+)\.xml$/.exec(name)?.[1] ?? 0);
}

/** The start tags of this name, as written: the tree keeps no attributes of office files. */
function tagsOf(xml: string, tag: string, limits: ExtractLimits): readonly string[] {
  const tags: string[] = [];
  walkTree(parsePage(xml, limits, "xml").root, (node) => {
    if (node.kind === "element" && node.tag === tag)
      tags.push(xml.slice(node.start, node.start + 2_000).split(">", 1)[0] ?? "");
    return node.kind === "element";
  });
  return tags;
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)`).exec(tag)?.[1] ?? "";
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
      const text = textOfLines(paragraph);
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
        .map((cell) => `<td>${textOfLines(cell)}</td>`)
        .join("")}</tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

/** The text of a paragraph or cell; lines within it, and the paragraphs of a cell, stand apart. */
function textOfLines(element: PageElement): string {
  const lines: string[] = [""];
  walkTree(element, (node) => {
    if (node.kind === "text") lines.push(`${lines.pop() ?? ""}${node.data}`);
    else if (node.tag === "a:br" || (node.tag === "a:p" && node !== element)) lines.push("");
    return node.kind === "element";
  });
  const texts = lines.map((line) => escapeHtml(collapseSpaces(line).slice(0, 20_000)));
  return texts.filter((text) => text !== "").join("<br>");
}

function childrenOf(element: PageElement, tag: string): readonly PageElement[] {
  return element.children.filter((child) => child.kind === "element" && child.tag === tag) as readonly PageElement[];
}
