import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import {
  cutSamplePage,
  readSampleManifest,
  readSamplePages,
  unpackSampleVectors,
  type SamplePage,
} from "@quarry/ingest";
import { MINILM } from "@quarry/models";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { repositoryRoot } from "./repository-files.ts";

const directory = path.join(repositoryRoot, "sample");
const manifest = await readSampleManifest(directory);
const pages: readonly SamplePage[] = (
  await Promise.all(manifest.sources.map(({ id }) => readSamplePages(directory, id)))
).flat();

/** Licences under which anybody may pass a page on, and keep changes to themselves. */
const PERMISSIVE = new Set([
  "Apache-2.0",
  "BSD-3-Clause",
  "CC0-1.0",
  "LicenseRef-public-domain",
  "MIT",
  "MIT OR Apache-2.0",
  "PSF-2.0",
  "PostgreSQL",
]);
const MAX_BYTES = 6_000_000;
const LONG = 60_000;

describe("the sample", () => {
  verifies("commands:start:sample-licences", "lists every page, and the terms of each source", () => {
    const licences = readFileSync(path.join(directory, "LICENCES.md"), "utf8");
    const list = readFileSync(path.join(directory, "PAGES.md"), "utf8");
    expect(pages.filter(({ licence }) => !PERMISSIVE.has(licence))).toEqual([]);
    expect(pages.map(({ url }) => url).filter((url) => !list.includes(`<${url}>`))).toEqual([]);
    for (const { name, licence } of manifest.sources) {
      const [row = ""] = licences.split("\n").filter((line) => line.startsWith(`| ${name} `));
      expect(row).toContain(licence.replace("LicenseRef-public-domain", "public domain"));
    }
  });

  it("has at least 300 pages of several sites, languages and centuries, each once, and stays small", () => {
    expect(pages.length).toBeGreaterThanOrEqual(300);
    expect(manifest.sources.reduce((sum, source) => sum + source.pages, 0)).toBe(pages.length);
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
    expect(new Set(pages.map(({ url }) => new URL(url).host)).size).toBeGreaterThanOrEqual(9);
    expect(new Set(pages.map(({ reading }) => reading?.language)).size).toBeGreaterThanOrEqual(6);
    const years = pages.flatMap(({ publishedDate }) =>
      publishedDate === undefined ? [] : [Date.parse(publishedDate)],
    );
    expect(new Date(Math.min(...years)).getUTCFullYear()).toBe(1790);
    expect(years.filter(Number.isNaN)).toEqual([]);
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it(
    "has the vector of every passage: after a change to how texts are cut, run tools/make-sample/vectors.ts",
    () => {
      const { model, entries } = unpackSampleVectors(readFileSync(path.join(directory, "vectors.bin")));
      expect(model).toBe(MINILM.model);
      const known = new Set(entries.map(({ hash }) => Buffer.from(hash).toString("hex")));
      const missing: string[] = [];
      for (const page of pages) {
        const passages = cutSamplePage(page);
        expect(passages.length, page.url).toBeGreaterThan(0);
        if (passages.some(({ id: hash }) => !known.has(hash))) missing.push(page.url);
      }
      expect(missing).toEqual([]);
    },
    LONG,
  );
});
