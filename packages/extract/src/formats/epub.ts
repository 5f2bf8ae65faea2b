import { decodeXML } from "entities";
import type { ExtractedDocument } from "../extracted-document.ts";
import { parsePage } from "../html/parse-page.ts";
import { walkTree } from "../html/page-tree.ts";
import type { ExtractLimits } from "../limits.ts";
import { writeWhole } from "../whole-document.ts";
import { readDublinCore } from "./office-facts.ts";
import { partText, unpackArchive } from "./unpack-archive.ts";

const PARTS = /\.(?:x?html?|opf|xml|ncx)$/i;

/** Extracts a book in the order of its spine; throws when the bytes are no book. */
export function extractEpub(
  input: { readonly url: string; readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): ExtractedDocument | "too-large" {
  const parts = unpackArchive(input.bytes, PARTS, limits);
  if (parts === "too-large") return parts;
  const packageName =
    /full-path\s*=\s*["']([^"']+)/.exec(partText(parts, "META-INF/container.xml"))?.[1] ??
    Object.keys(parts).find((name) => name.endsWith(".opf"));
  if (packageName === undefined) throw new Error("the archive has no package document");
  const opf = partText(parts, packageName);
  const chapters = readSpine(opf, packageName, limits);
  let html = "";
  let taken = 0;
  for (const name of chapters) {
    if (taken >= limits.maxParts || html.length > limits.maxSourceChars) break;
    html += bodyOf(partText(parts, name));
    taken += 1;
  }
  const facts = readDublinCore(opf, limits);
  const document = writeWhole(html, { ...facts, url: input.url, mediaType: input.mediaType }, limits);
  return taken < chapters.length ? { ...document, limitsReached: [...document.limitsReached, "maxParts"] } : document;
}

/** The names of the chapters in reading order. */
function readSpine(opf: string, packageName: string, limits: ExtractLimits): readonly string[] {
  const hrefs = new Map<string, string>();
  const order: string[] = [];
  const attribute = (tag: string, name: string): string =>
    decodeXML(new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)?.slice(1).join("") ?? "");
  walkTree(parsePage(opf, limits, "xml").root, (node) => {
    if (node.kind === "text") return false;
    const source = opf.slice(node.start, Math.min(node.end, node.start + 2_000));
    if (node.tag === "item" || node.tag === "opf:item") hrefs.set(attribute(source, "id"), attribute(source, "href"));
    else if (node.tag === "itemref" || node.tag === "opf:itemref") order.push(attribute(source, "idref"));
    return true;
  });
  return order.flatMap((id) => {
    const href = hrefs.get(id);
    return href === undefined ? [] : [partName(href, packageName)];
  });
}

/** The name in the archive that an address in the package document means: relative to it, escapes undone. */
function partName(href: string, packageName: string): string {
  const steps: string[] = [];
  for (const step of [...packageName.split("/").slice(0, -1), ...href.replace(/[#?].*$/s, "").split("/")]) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return steps.map(unescaped).join("/");
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a percent sign that stands for itself
  }
}

function bodyOf(chapter: string): string {
  const open = /<body[^<>]*>/i.exec(chapter);
  const from = open === null ? 0 : open.index + open[0].length;
  const to = chapter.lastIndexOf("</body>");
  return `<section>${chapter.slice(from, to < from ? chapter.length : to)}</section>\n`;
}
