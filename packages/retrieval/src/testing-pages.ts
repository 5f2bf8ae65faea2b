import type { PageToIndex } from "./pages/page-row.ts";

/** The numbers a vector has in tests. */
export const TEST_DIMENSIONS = 8;

/** A page, for tests that change only what they are about. */
export function makePage(page: Partial<PageToIndex> = {}): PageToIndex {
  return {
    teamId: "team",
    url: "https://example.com/page",
    version: 1,
    title: null,
    headings: [],
    text: "",
    language: "en",
    category: null,
    author: null,
    siteName: null,
    image: null,
    favicon: null,
    publishedAt: null,
    crawledAt: new Date("2026-01-01T00:00:00Z"),
    canonicalUrl: null,
    ...page,
  };
}

/** A vector of length 1 that points along one axis, a little towards the next. */
export function makeVector(axis: number, lean = 0): Float32Array {
  const vector = new Float32Array(TEST_DIMENSIONS);
  vector[axis % TEST_DIMENSIONS] = Math.sqrt(1 - lean * lean);
  vector[(axis + 1) % TEST_DIMENSIONS] = lean;
  return vector;
}
