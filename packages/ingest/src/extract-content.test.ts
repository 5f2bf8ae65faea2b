import { afterEach, expect, it, vi } from "vitest";
import { extractContent } from "./extract-content.ts";
import type { PageReading } from "./read-page.ts";

afterEach(() => vi.unstubAllEnvs());

async function read(html: string, contentType = "text/html"): Promise<PageReading> {
  const content = { kind: "bytes", bytes: Buffer.from(html), contentType } as const;
  const outcome = await extractContent({ url: "https://e.example/", content, now: new Date("2026-01-01") });
  if (outcome.kind !== "read") throw outcome.error;
  return outcome.reading;
}

it.each(["Asia/Tokyo", "America/Los_Angeles"])("reads a moment without a zone as UTC in %s", async (zone) => {
  vi.stubEnv("TZ", zone);
  const published = async (time: string): Promise<string | undefined> => {
    const meta = `<meta property="article:published_time" content="${time}">`;
    return (await read(`<title>T</title>${meta}<p>Text.</p>`)).publishedAt?.toISOString();
  };
  expect(await published("2024-05-06T00:30:00")).toBe("2024-05-06T00:30:00.000Z");
  expect(await published("2024-05-06T00:30:00+09:00")).toBe("2024-05-05T15:30:00.000Z");
  expect(await published("2024-05-06")).toBe("2024-05-06T00:00:00.000Z");
});

it("reads XHTML by its own rules, and calls it what it is", async () => {
  const html =
    '<html><head><title>T</title><script src="a.js"/></head><body><p>The text of the page.</p></body></html>';
  const { text, mediaType } = await read(html, "application/xhtml+xml; charset=utf-8");
  expect([text, mediaType]).toEqual(["The text of the page.", "application/xhtml+xml"]);
});
