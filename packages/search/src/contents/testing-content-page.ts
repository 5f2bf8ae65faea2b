import type { ContentPage } from "./content-page.ts";

/** A page as contents are made from, with what a test says of it; all else is made up. */
export function makeContentPage(page: Partial<ContentPage>): ContentPage {
  return {
    teamId: "team",
    url: "https://example.com/page",
    title: null,
    author: null,
    publishedAt: null,
    siteName: null,
    description: null,
    image: null,
    favicon: null,
    category: null,
    language: "en",
    details: { headings: [], links: [], imageLinks: [] },
    text: "",
    markdown: "",
    snapshotId: null,
    extractorVersion: "test",
    mediaType: "text/html",
    charset: "utf-8",
    readAt: new Date("2026-01-01T00:00:00Z"),
    ...page,
  };
}
