import { expect, it } from "vitest";
import { checkEvidence, findQuote, quoteAt, type PageText } from "./evidence.ts";

const page: PageText = {
  url: "https://a.example/",
  title: "A",
  text: "  It’s “quite”\n new. Then 😀 more.",
  snapshotId: "s1",
};

it("quotes a place without the white space around it", () => {
  const quote = quoteAt(page, 0, 14);
  expect(quote).toEqual({ url: page.url, title: "A", snippet: "It’s “quite”", snapshotId: "s1", start: 2, end: 14 });
  expect(quote !== undefined && checkEvidence(page, quote)).toBe(true);
});

it("never cuts a character in two", () => {
  const half = page.text.indexOf("😀") + 1;
  expect(quoteAt(page, 0, half)?.snippet.endsWith("Then")).toBe(true);
});

it("finds words whatever their white space, case and quotation marks", () => {
  expect(findQuote(page, 'it\'s "QUITE" new')?.snippet).toBe("It’s “quite”\n new");
  expect(findQuote(page, "it is quite new")).toBeUndefined();
  expect(findQuote(page, " … ")).toBeUndefined();
});

it("refuses a quote that stands elsewhere, of another page or another snapshot", () => {
  const quote = findQuote(page, "more");
  if (quote === undefined) throw new Error("it stands there");
  expect(checkEvidence(page, quote)).toBe(true);
  expect(checkEvidence(page, { ...quote, start: quote.start - 1, end: quote.end - 1 })).toBe(false);
  expect(checkEvidence(page, { ...quote, snippet: "less" })).toBe(false);
  expect(checkEvidence({ ...page, snapshotId: "s2" }, quote)).toBe(false);
  expect(checkEvidence({ ...page, url: "https://b.example/" }, quote)).toBe(false);
});
