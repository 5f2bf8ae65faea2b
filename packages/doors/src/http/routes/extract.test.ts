import { extractContent } from "@quarry/ingest";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { useHttpApp } from "../../testing.ts";
import { extractRoutes } from "./extract.ts";

describe("extraction by HTTP", () => {
  const world = useHttpApp({ routes: extractRoutes({ readPage: extractContent, clock: fakeClock() }) });

  verifies("extract:api:extract", "shows what becomes of a page: facts, text, Markdown, links", async () => {
    const paragraph = "The pump lifts forty litres a minute and wants to be oiled once a year. ".repeat(6);
    const html = `<html lang="en"><head><title>The pump | Works</title><meta property="og:site_name" content="Works">
      <script type="application/ld+json">{"@type":"Article","headline":"The pump","author":{"name":"Ada Smith"},"datePublished":"2024-05-06"}</script>
      </head><body><nav><a href="/">Home</a></nav><article><h1>The pump</h1><p>${paragraph}<a href="/parts">Parts</a></p></article></body></html>`;
    const body = { url: "https://works.example/pump", html };
    const reply = await world().call("POST", "/quarry/v1/extract", { body });
    expect([reply.statusCode, reply.json()]).toMatchObject([
      200,
      {
        url: body.url,
        title: "The pump",
        author: "Ada Smith",
        publishedDate: "2024-05-06T00:00:00.000Z",
        language: "en",
        siteName: "Works",
        text: expect.stringContaining("wants to be oiled") as string,
        markdown: expect.stringContaining("[Parts](https://works.example/parts)") as string,
        links: [{ url: "https://works.example/parts", text: "Parts" }],
      },
    ]);
  });

  verifies("extract:api:bad-input", "refuses a missing or wrong field by its name", async () => {
    const html = "<p>x</p>";
    for (const [field, body] of [
      ["url", { html }],
      ["html", { url: "https://e.example/" }],
      ["html", { url: "https://e.example/", html: 7 }],
      ["url", { url: "ftp://e.example/", html }],
    ] as const) {
      const reply = await world().call("POST", "/quarry/v1/extract", { body });
      expect([reply.statusCode, reply.body]).toEqual([400, expect.stringContaining(field)]);
    }
  });
});
