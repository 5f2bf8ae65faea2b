import path from "node:path";
import { extractHtml } from "@quarry/extract";
import { readArchive } from "./extract-archives.ts";
import { compareBags, mean } from "./extract-scores.ts";
import type { Table } from "./print-table.ts";

const BASE = "https://extruct.example/";

/**
 * How far our structured data agrees with what extruct reads from its own samples (JSON-LD, microdata, OpenGraph):
 * the F1 of properties with their values, mean over samples. RDFa and Dublin Core, which we do not read, are left out.
 */
export function compareStructuredData(dataDir: string): Table | undefined {
  const files = readArchive(path.join(dataDir, "extruct-samples", "samples.tar.gz"));
  if (files === undefined) return undefined;
  const scores: Record<string, number[]> = { "JSON-LD": [], microdata: [], OpenGraph: [] };
  for (const [name, html] of files) {
    if (!name.endsWith(".html") || /rdfa|dublincore|microformat/i.test(name)) continue;
    const { structuredData } = extractHtml({ url: BASE, html });
    const stem = name.slice(0, -".html".length);
    const expected = (ending: string): unknown => parse(files.get(stem + ending));
    const jsonLd = expected(".jsonld");
    if (jsonLd !== undefined) scores["JSON-LD"]?.push(agreement(jsonLd, structuredData.jsonLd));
    const other = expected(".json");
    if (isOpenGraph(other)) {
      const entries = other.flatMap(({ properties }) => properties);
      const firsts = Object.fromEntries([...entries].reverse());
      scores["OpenGraph"]?.push(agreement(firsts, structuredData.openGraph));
    } else if (isMicrodata(other)) scores["microdata"]?.push(agreement(other, structuredData.microdata));
  }
  return {
    title: "extruct-samples: agreement with extruct, F1 of properties, mean over samples",
    columns: ["what", "samples", "F1", "whole"],
    rows: Object.entries(scores).map(([what, values]) => [
      what,
      values.length,
      mean(values),
      mean(values.map((value) => Number(value === 1))),
    ]),
  };
}

function parse(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined; // some samples are broken on purpose and have no expectation
  }
}

function isOpenGraph(value: unknown): value is readonly { readonly properties: readonly [string, string][] }[] {
  return (
    Array.isArray(value) && value.length > 0 && typeof value[0] === "object" && "namespace" in (value[0] as object)
  );
}

/** Some expectations are RDFa's, or hold several syntaxes with the page's address. */
function isMicrodata(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && "properties" in (item as object));
}

function agreement(expected: unknown, found: unknown): number {
  const wanted = leavesOf(expected, "");
  const had = leavesOf(found, "");
  if (wanted.length === 0 && had.length === 0) return 1;
  const { shared } = compareBags(wanted, had);
  return (2 * shared) / (wanted.length + had.length);
}

/** Every value with the names that lead to it; places in lists do not count, nor does how an address is written. */
function leavesOf(value: unknown, names: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, names));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${names}/${name}`));
  const text = String(value)
    .replace(/[\s\u00a0]+/g, " ")
    .trim();
  return [`${names}=${text.startsWith(BASE) ? text.slice(BASE.length) : text.replace(/^\.?\//, "")}`];
}
