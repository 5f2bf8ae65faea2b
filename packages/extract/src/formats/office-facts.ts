import { parsePage } from "../html/parse-page.ts";
import { textOf, walkTree } from "../html/page-tree.ts";
import type { ExtractLimits } from "../limits.ts";
import { toIsoDate } from "../metadata/read-date.ts";
import type { FileFacts } from "../whole-document.ts";

/** Title, author, date and language from Dublin Core elements, as office files and books carry them. */
export function readDublinCore(xml: string, limits: ExtractLimits): Omit<FileFacts, "url" | "mediaType"> {
  const found = new Map<string, string>();
  walkTree(parsePage(xml, limits, "xml").root, (node) => {
    if (node.kind === "text") return false;
    const text = /^(?:dc|dcterms):/.test(node.tag) ? textOf(node, 2_000) : "";
    if (text !== "" && !found.has(node.tag)) found.set(node.tag, text);
    return true;
  });
  const date = found.get("dcterms:created") ?? found.get("dc:date") ?? found.get("dcterms:modified") ?? "";
  return {
    title: found.get("dc:title"),
    author: found.get("dc:creator"),
    publishedDate: toIsoDate(date.length === 4 ? `${date}-01-01` : date, new Date()),
    description: found.get("dc:description"),
    language: found.get("dc:language"),
  };
}
