import { isUrl } from "@quarry/base";
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { chunksOf, describeData, filesOfTar } from "../testing.ts";
import { readSitemap, SITEMAP_LIMITS, type SitemapLimits } from "./read-sitemap.ts";
import type { SitemapEvent } from "./sitemap-entry.ts";

const never = new AbortController().signal;
const page = (url: string, rest: object = {}): SitemapEvent => ({ kind: "page", url, ...rest });
const urlset = (...urls: string[]): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url>${url}</url>`).join("")}</urlset>`;

async function read(
  file: string | Uint8Array,
  limits?: Partial<SitemapLimits>,
  chunkBytes = 7,
): Promise<SitemapEvent[]> {
  const events: SitemapEvent[] = [];
  const body = chunksOf(typeof file === "string" ? Buffer.from(file) : file, chunkBytes);
  for await (const event of readSitemap({ url: "https://a.test/map.xml", body }, never, {
    ...SITEMAP_LIMITS,
    ...limits,
  }))
    events.push(event);
  return events;
}
const codes = (events: readonly SitemapEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "note" ? [event.code] : []));
const urls = (events: readonly SitemapEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "note" ? [] : [event.url]));

describe("readSitemap", () => {
  it("reads every field of a page", async () => {
    const file = urlset(
      "<loc> https://a.test/x?b=1&amp;a=2 </loc><lastmod>2024-05-06</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>",
    );
    expect(await read(file)).toEqual([
      page("https://a.test/x?a=2&b=1", {
        lastModified: new Date("2024-05-06"),
        changeFrequency: "daily",
        priority: 0.8,
      }),
    ]);
  });

  it("leaves out fields that make no sense", async () => {
    expect(
      await read(urlset("<loc>/x</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>high</priority>")),
    ).toEqual([page("https://a.test/x")]);
    expect(await read(urlset("<loc>/x</loc><priority>7</priority>"))).toEqual([
      page("https://a.test/x", { priority: 1 }),
    ]);
  });

  verifies("crawl:sitemap:news", "keeps news and alternates, and no image or video locations", async () => {
    const file = urlset(
      "<loc>/n</loc><image:image><image:loc>/i.png</image:loc></image:image><video:video><video:title>no</video:title></video:video>" +
        "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>" +
        '<news:publication_date>2024-01-02</news:publication_date><news:title>T &amp; U</news:title></news:news><xhtml:link rel="alternate" hreflang="de" href="/de"/>',
    );
    expect(await read(file)).toEqual([
      page("https://a.test/n", {
        title: "T & U",
        publishedAt: new Date("2024-01-02"),
        language: "en",
        alternates: [{ language: "de", url: "/de" }],
      }),
    ]);
  });

  it("reads an index, with or without <loc>", async () => {
    const file =
      "<sitemapindex><sitemap><loc>/1.xml</loc><lastmod>2024</lastmod></sitemap><sitemap>\n/2.xml\n<lastmod>2023</lastmod></sitemap></sitemapindex>";
    expect(await read(file)).toEqual([
      { kind: "sitemap", url: "https://a.test/1.xml", lastModified: new Date("2024") },
      { kind: "sitemap", url: "https://a.test/2.xml", lastModified: new Date("2023") },
    ]);
  });

  verifies("crawl:feeds:rss-and-atom", "reads RSS 2.0, RSS 1.0 and Atom", async () => {
    const rss =
      "<rss><channel><link>/home</link><item><title><![CDATA[A<b>]]></title><link>/1</link><pubDate>05 Jan 17 13:34:54 +0100</pubDate></item><item><guid>https://a.test/2</guid></item><item><guid>tag:x</guid></item></channel></rss>";
    expect(await read(rss)).toEqual([
      page("https://a.test/1", { title: "A<b>", publishedAt: new Date("2017-01-05T12:34:54Z") }),
      page("https://a.test/2"),
      { kind: "note", code: "bad-locations", message: "1 entries had no usable URL" },
    ]);
    const rdf =
      "<rdf:RDF><channel><link>/home</link></channel><item><link>/1</link><dc:date>2020-01-01</dc:date></item></rdf:RDF>";
    expect(await read(rdf)).toEqual([page("https://a.test/1", { publishedAt: new Date("2020-01-01") })]);
    const atom =
      '<feed><link href="/home"/><entry><link rel="edit" href="/e"/><link href="/1"/><updated>2020-01-01</updated><source><link href="/s"/></source></entry></feed>';
    expect(await read(atom)).toEqual([page("https://a.test/1", { lastModified: new Date("2020-01-01") })]);
  });

  verifies("crawl:sitemap:text", "reads a list of URLs and says how many lines are none", async () => {
    expect(await read("\ufeffhttps://a.test/1\r\n\n# why\nhttps://a.test/2\nwords\nhttps://a.test/3")).toEqual([
      ...["1", "2", "3"].map((name) => page(`https://a.test/${name}`)),
      { kind: "note", code: "bad-locations", message: "1 entries had no usable URL" },
    ]);
  });

  verifies("crawl:sitemap:gzip", "unpacks gzip, twice too, and what breaks off", async () => {
    const file = gzipSync(urlset("<loc>/1</loc>", "<loc>/2</loc>"));
    expect(urls(await read(file))).toEqual(["https://a.test/1", "https://a.test/2"]);
    expect(urls(await read(gzipSync(file)))).toEqual(["https://a.test/1", "https://a.test/2"]);
    const many = urlset(...Array.from({ length: 3000 }, (_url, index) => `<loc>/${(index * 7919) % 3001}</loc>`));
    const cut = await read(gzipSync(many).subarray(0, 6000), {}, 512);
    expect(urls(cut).length).toBeGreaterThan(500);
    expect(codes(cut)).toEqual(["ended-early"]);
    expect(codes(await read(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from("no gzip at all")])))).toEqual([
      "corrupt",
    ]);
  });

  it("gives what came of a body that breaks, and rejects when nothing came", async () => {
    async function* breaking(text: string): AsyncGenerator<Uint8Array> {
      if (text !== "") yield Buffer.from(text);
      await Promise.resolve();
      throw new Error("connection reset");
    }
    const events: SitemapEvent[] = [];
    for await (const event of readSitemap(
      { url: "https://a.test/", body: breaking("<urlset><url><loc>/1</loc></url>") },
      never,
    ))
      events.push(event);
    expect([urls(events), codes(events)]).toEqual([["https://a.test/1"], ["corrupt", "ended-early"]]);
    await expect(readSitemap({ url: "https://a.test/", body: breaking("") }, never).next()).rejects.toThrow("reset");
  });

  it("reads other encodings by mark and declaration", async () => {
    const text =
      '<?xml version="1.0" encoding="windows-1251"?><rss><channel><item><title>Привет</title><link>/1</link></item></channel></rss>';
    const expected = [page("https://a.test/1", { title: "Привет" })];
    expect(await read(iconv.encode(text, "windows-1251"))).toEqual(expected);
    expect(await read(Buffer.from(`\ufeff${text}`, "utf16le"))).toEqual(expected);
  });

  it("gives what stood before an error, and reads on past a small one", async () => {
    const bare = await read(urlset("<loc>/1?a=1&b=2</loc>", "<loc>/2</loc>"));
    expect([urls(bare), codes(bare)]).toEqual([["https://a.test/1?a=1&b=2", "https://a.test/2"], ["malformed-xml"]]);
    const cut = await read(urlset("<loc>/1</loc>", "<loc>/2</loc>").slice(0, -15));
    expect([urls(cut), codes(cut)]).toEqual([["https://a.test/1", "https://a.test/2"], ["ended-early"]]);
    const open = await read(urlset("<loc>/1</loc>").replace("</url>", ""));
    expect(urls(open)).toEqual(["https://a.test/1"]);
  });

  it("knows what is no sitemap", async () => {
    expect(await read("<html><body><a href='/x'>x</a></body></html>")).toEqual([
      { kind: "note", code: "not-a-sitemap", message: "the document is a <html>, not a sitemap or feed" },
    ]);
    expect(await read("")).toEqual([]);
    expect(codes(await read(Buffer.from([0, 1, 2, 3, 4, 5])))).toEqual(["bad-locations"]);
  });

  it("keeps to its limits of entries and bytes", async () => {
    const file = urlset("<loc>/1</loc>", "<loc>/2</loc>", "<loc>/3</loc>");
    const few = await read(file, { maxEntries: 2 });
    expect([urls(few).length, codes(few)]).toEqual([2, ["too-many-entries"]]);
    const short = await read(file, { maxBytes: 115 });
    expect([urls(short).length, codes(short)]).toEqual([1, ["too-large", "ended-early"]]);
  });

  verifies("crawl:sitemap:bomb", "expands no entities of the document's own", async () => {
    const lol = `<!DOCTYPE x [<!ENTITY a "https://a.test/evil"><!ENTITY b "&a;&a;&a;&a;">]>`;
    const events = await read(
      `<?xml version="1.0"?>${lol}<urlset><url><loc>&b;</loc></url><url><loc>/1</loc></url></urlset>`,
    );
    expect([urls(events).includes("https://a.test/evil"), urls(events).at(-1)]).toEqual([false, "https://a.test/1"]);
    const file = "file:///etc/passwd";
    expect(
      urls(await read(`<!DOCTYPE x [<!ENTITY a SYSTEM "${file}">]><urlset><url><loc>${file}</loc></url></urlset>`)),
    ).toEqual([]);
  });

  verifies(
    "crawl:sitemap:bomb",
    "gives up on bombs: nesting, endless text, gzip of zeros, errors without end",
    async () => {
      expect(codes(await read(`<urlset>${"<a>".repeat(200_000)}`, {}, 65_536))).toEqual(["too-deep"]);
      const long = await read(
        urlset(`<loc>https://a.test/${"x".repeat(3_000_000)}</loc>`, "<loc>/1</loc>"),
        {},
        65_536,
      );
      expect([urls(long), codes(long)]).toEqual([["https://a.test/1"], ["bad-locations"]]);
      const zeros = await read(
        gzipSync(Buffer.concat([Buffer.from("<urlset><url><loc>/1</loc></url>"), Buffer.alloc(30_000_000, 32)])),
        { maxBytes: 1_000_000 },
        65_536,
      );
      expect([urls(zeros), codes(zeros)]).toEqual([["https://a.test/1"], ["too-large", "ended-early"]]);
      for (const bomb of ["<!--", "<!DOCTYPE a [", "<url a='", "<?x ", "<![CDATA[", "&"]) {
        const events = await read(`<urlset><url><loc>/1</loc></url>${bomb}${"x".repeat(1_000_000)}`, {}, 65_536);
        expect([bomb, urls(events)]).toEqual([bomb, ["https://a.test/1"]]);
      }
      const wide = Array.from({ length: 100_000 }, (_attribute, index) => `a${index}=""`).join(" ");
      expect(codes(await read(`<urlset><url ${wide}>`, {}, 65_536))).toEqual(["too-large"]);
      const broken = await read(`<urlset>${"<url a=&x;></loc>".repeat(100_000)}</urlset>`, {}, 65_536);
      expect(codes(broken)).toContain("malformed-xml");
    },
  );

  verifies("crawl:sitemap:streamed", "reads a file as it comes, in memory that does not grow with it", async () => {
    const entries = 30_000;
    let made = 0;
    let read = 0;
    let mostAhead = 0;
    // eslint-disable-next-line @typescript-eslint/require-await -- a body that is always there
    const body = (async function* () {
      yield Buffer.from("<urlset>");
      for (; made < entries; made += 100) {
        const part = Array.from(
          { length: 100 },
          (_, index) => `<url><loc>/${"x".repeat(80)}/${made + index}</loc></url>`,
        );
        yield Buffer.from(part.join(""));
      }
      yield Buffer.from("</urlset>");
    })();
    const limits = { maxBytes: 1e9, maxEntries: entries };
    for await (const event of readSitemap({ url: "https://a.test/map.xml", body }, never, limits)) {
      if (event.kind === "page") read += 1;
      mostAhead = Math.max(mostAhead, made - read);
    }
    expect(read).toBe(entries);
    expect(mostAhead).toBeLessThan(1_000); // no more is asked for, or held, than is being read
  });

  it("stops when told to", async () => {
    const stop = new AbortController();
    const events = readSitemap(
      { url: "https://a.test/", body: chunksOf(Buffer.from(urlset("<loc>/1</loc>", "<loc>/2</loc>")), 8) },
      stop.signal,
    );
    await events.next();
    stop.abort();
    await expect(events.next()).rejects.toThrow("aborted");
  });

  it("never throws or hangs, whatever it is given", async () => {
    const token = fc.oneof(
      fc.constantFrom(
        "<urlset>",
        "</urlset>",
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "<item>",
        "<link href='x'/>",
        "<entry>",
        "<sitemap>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "&amp;",
        "&x;",
        "<?xml ?>",
        "<!DOCTYPE a [",
        "https://a.test/",
      ),
      fc.string({ unit: "binary", maxLength: 10 }),
    );
    const file = fc.oneof(
      fc.array(token, { maxLength: 40 }).map((tokens) => Buffer.from(tokens.join(""))),
      fc.uint8Array({ maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(file, fc.boolean(), async (bytes, packed) => {
        for (const event of await read(packed ? gzipSync(bytes) : bytes))
          expect(event.kind === "note" || isUrl(event.url)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describeData("sitemap-samples", (folder) => {
  const files = filesOfTar(gunzipSync(readFileSync(path.join(folder, "sitemaps.tar.gz"))));
  const sample = (name: string): Uint8Array => files.get(`sitemaps/${name}`) ?? readFileSync(path.join(folder, name));

  it.each([
    ["sitemap.txt", 2, []],
    ["sitemap-with-bom.txt", 2, []],
    ["do-not-visit.txt", 1, []],
    ["sitemap.txt.gz", 5, []],
    ["xmlSitemap.gz", 5, []],
    ["sitemap.ns.xml", 2, []],
    ["sitemap.badns.xml", 2, []],
    ["sitemap.index.xml", 15, []],
    ["atom.xml", 1, []],
    ["extension/sitemap-news.xml", 2, []],
    ["extension/sitemap-images.xml", 1, []],
    ["extension/sitemap-links.xml", 3, []],
    ["extension/sitemap-mobile.xml", 3, []],
    ["extension/sitemap-videos.xml", 3, []],
    ["extension/sitemap-videos-tvshow.xml", 1, []],
    ["extension/pagemaps-sitemap.xml", 2, []],
    ["extension/shinpaideshou-news-sitemap.xml", 3, []],
    ["extension/hebdenbridgetimes-articles-sitemap.xml", 74, []],
    ["rss/feed.rss", 4, []],
    ["rss/xmlRss_pubDate.xml", 7, []],
  ])("reads %s", async (name, count, notes) => {
    const events = await read(sample(name), {}, 1000);
    expect([urls(events).length, codes(events)]).toEqual([count, notes]);
  });

  it("reads every sample to the last", () => {
    expect(files.size).toBe(18);
  });

  it("reads dates, news and alternates of the samples", async () => {
    expect(
      (await read(sample("xmlSitemap.gz"))).map((event) =>
        event.kind === "page" ? event.lastModified?.toISOString() : event,
      ),
    ).toEqual([
      "2005-01-01T00:00:00.000Z",
      undefined,
      "2004-12-23T00:00:00.000Z",
      "2004-12-23T18:00:15.000Z",
      "2004-11-23T00:00:00.000Z",
    ]);
    const feed = await read(sample("rss/xmlRss_pubDate.xml"));
    expect(feed.map((event) => (event.kind === "page" ? event.publishedAt?.getUTCSeconds() : event))).toEqual([
      51,
      52,
      53,
      54,
      55,
      undefined,
      undefined,
    ]);
    expect((await read(sample("extension/sitemap-news.xml")))[0]).toEqual(
      page("http://www.example.org/business/article55.html", {
        title: "Companies A, B in Merger Talks",
        publishedAt: new Date("2008-12-23"),
        language: "en",
      }),
    );
    expect(urls(await read(sample("rss/feed.rss")))).toEqual([
      "https://www.example.com/blog/post/1",
      "https://www.example.com/guid.html",
      "https://www.example.com/foo?l=en&q=a",
      "https://www.example.com/foo?l=fr&q=a",
    ]);
  });
});
