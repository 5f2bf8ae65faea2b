import type { PageInput } from "@quarry/ingest";
import { describe, expect, it } from "vitest";
import type { ContentPage } from "./content-page.ts";
import { findSubpages } from "./subpages.ts";
import { makeContentPage } from "./testing-content-page.ts";
import { readTextContent } from "./text-content.ts";

const BODY = '<body><header>Acme</header><main><p>The text.</p><a href="/about">About</a></main></body>';
const XHTML = `<html><head><title>T</title><script src="a.js"/></head>${BODY}</html>`;
const snapshots = { get: () => Promise.resolve(Buffer.from(XHTML)) };

function pageOf(mediaType: string): ContentPage {
  const url = "https://acme.example/";
  return makeContentPage({ url, mediaType, text: "The text.", markdown: "The text.", snapshotId: "id", details: {} });
}

describe("a page of XHTML that is read again", () => {
  it("gives its other parts by the rules of XHTML", async () => {
    const plan = {
      asHtml: false,
      verbosity: "standard",
      maxCharacters: undefined,
      includeSections: undefined,
      excludeSections: undefined,
    } as const;
    expect(await readTextContent({ snapshots }, pageOf("application/xhtml+xml"), plan)).toContain("Acme");
    expect(await readTextContent({ snapshots }, pageOf("text/plain"), plan)).toBe("The text.");
  });

  it("gives the links of its frame, and is given to the reader as what it is", async () => {
    const asked: PageInput[] = [];
    const readPage = (page: PageInput): Promise<never> => {
      asked.push(page);
      return Promise.reject(new Error("enough"));
    };
    const wish = { count: 1, targets: [] };
    const { signal } = new AbortController();
    const page = pageOf("application/xhtml+xml");
    await expect(findSubpages({ snapshots, readPage }, page, wish, signal)).rejects.toThrow("enough");
    expect(asked.map(({ content }) => content)).toMatchObject([
      { contentType: "application/xhtml+xml; charset=utf-8" },
    ]);
  });
});
