import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { createRenderer, createRobotsCache, getByDialer } from "@quarry/crawl";
import {
  canSandbox,
  describeBrowser,
  describeData,
  filesOfTar,
  pagesOfFiles,
  withMiniWeb,
  type MiniWeb,
  type MiniWebFaults,
  type MiniWebPages,
} from "@quarry/crawl/testing";
import { createDialer } from "@quarry/net";
import { useServer } from "@quarry/net/testing";
import type { CrawlRequest, Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, onTestFinished } from "vitest";
import { exportDocuments } from "../import/export-index.ts";
import { crawlToEnd, fakeCrawlDeps, type CrawlResult } from "../testing.ts";
import { createHostPaces } from "./host-paces.ts";
import type { CrawlDeps } from "./run-crawl.ts";

const LONG = 300_000;

/** A crawl's surroundings with a real dialer, which may reach loopback and nothing else that is private. */
function realDeps(database: Database, browserPath?: string): CrawlDeps {
  const dialer = createDialer({ allowPrivateHosts: ["127.0.0.1"], limits: { totalMs: 20_000 } });
  const renderer = createRenderer({ dialer, browserPath, sandbox: canSandbox, userAgent: "QuarryBot/test" });
  onTestFinished(async () => {
    await renderer.close();
    await dialer.close();
  });
  const now = (): Date => new Date();
  const get = getByDialer(dialer.fetch);
  return {
    ...fakeCrawlDeps(database, () => undefined),
    get,
    robots: createRobotsCache({ get, now }, "QuarryBot"),
    paces: createHostPaces(now),
    renderer,
  };
}

async function textsOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for await (const { document, text } of exportDocuments(database, "one", new AbortController().signal)) {
    texts.set(new URL(document.url).pathname, text);
  }
  return texts;
}

/** Crawls a web from `start`; answers the texts by path, how it ended, and what the web was asked for. */
function crawlWeb(
  pages: MiniWebPages,
  faults: MiniWebFaults,
  request: Partial<CrawlRequest> & { readonly start: string },
): Promise<CrawlResult & { readonly texts: ReadonlyMap<string, string>; readonly asked: readonly string[] }> {
  return withDatabase(async (database) => {
    const { start, ...wish } = request;
    let asked: readonly string[] = [];
    let result: CrawlResult | undefined;
    await withMiniWeb(pages, faults, async (web: MiniWeb) => {
      result = await crawlToEnd(realDeps(database), { urls: [`${web.origin}${start}`], maxDepth: 50, ...wish });
      asked = web.requests.map((one) => one.path).filter((target) => target !== "/robots.txt");
    });
    if (result === undefined) throw new Error("the crawl did not run");
    return { ...result, texts: await textsOf(database), asked };
  });
}

describeData("miniweb-git-htmldocs", (folder) => {
  const files = filesOfTar(gunzipSync(readFileSync(path.join(folder, "site.tar.gz"))));
  const { reachable_pages: reachable } = JSON.parse(readFileSync(path.join(folder, "expected-crawl.json"), "utf8")) as {
    readonly reachable_pages: readonly string[];
  };
  const names = reachable.map((name) => `/${name.replace(/^\//, "")}`).sort();
  const manual = pagesOfFiles(files, "git.html");
  const start = "/git.html";

  verifies(
    [
      "crawl:miniweb:slow-server",
      "crawl:miniweb:errors",
      "crawl:miniweb:redirect-loops",
      "crawl:miniweb:wrong-charsets",
    ],
    "all 229 pages come from a slow server with loops, and the same from one that fails at first and mislabels charsets",
    async () => {
      const loops = ["/loop-1", "/loop-2", "/loop-3"];
      const links = loops.map((target) => `<a href="${target}">x</a>`).join("");
      const looping: MiniWebPages = (target) => {
        const page = manual(target);
        return page !== undefined && target === start
          ? { ...page, body: `${Buffer.from(page.body).toString("utf8")}${links}` }
          : page;
      };
      const slow = await crawlWeb(looping, { loops, delayMs: 60 }, { start });
      expect([...slow.texts.keys()].sort()).toEqual(names);
      const once = slow.asked.filter((target) => !target.startsWith("/loop"));
      expect(new Set(once).size).toBe(once.length);
      const told = Object.entries(slow.statuses).filter(([, status]) => status === "redirect-loop");
      expect(told.map(([url]) => new URL(url).pathname).sort()).toEqual(loops);

      const labels = ["windows-1252", "x-nonsense", "utf-16", "shift_jis"];
      const mislabelled: MiniWebPages = (target) => {
        const page = manual(target);
        const isHtml = page?.contentType === "text/html";
        return isHtml
          ? { ...page, contentType: `text/html; charset=${labels[target.length % labels.length] ?? ""}` }
          : page;
      };
      const failing = await crawlWeb(mislabelled, { failuresPerPage: 1, retryAfterSeconds: 0 }, { start });
      expect([...failing.texts.keys()].sort()).toEqual(names);
      expect([...slow.texts.values()].some((text) => /[^\x00-\x7f]/.test(text))).toBe(true);
      // the start page has links of its own in the slow web
      const others = names.filter((name) => name !== start);
      expect(others.filter((name) => failing.texts.get(name) !== slow.texts.get(name))).toEqual([]);
    },
    LONG,
  );
});

/** A zstd frame of one raw block; short texts only. */
function zstdOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const block = 1 | (bytes.length << 3);
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, block & 0xff, (block >> 8) & 0xff, block >> 16];
  return Buffer.concat([Buffer.from(head), bytes]);
}

verifies("crawl:fetch:encodings", "gzip, br, deflate and zstd bodies are read as the pages they are", async () => {
  const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdOf } as const;
  const page = (name: string): string => `<title>${name}</title><p>The ${name} page, unpacked.</p>`;
  const pages: MiniWebPages = (target) => {
    if (target === "/") {
      return {
        body: `<p>start</p>${Object.keys(codings)
          .map((name) => `<a href="/${name}">x</a>`)
          .join("")}`,
      };
    }
    const pack = Object.entries(codings).find(([name]) => target === `/${name}`);
    return pack === undefined ? undefined : { body: pack[1](page(pack[0])), headers: { "content-encoding": pack[0] } };
  };
  const { texts } = await crawlWeb(pages, {}, { start: "/" });
  for (const name of Object.keys(codings)) expect(texts.get(`/${name}`)).toContain(`The ${name} page, unpacked.`);
});

verifies(
  [
    "crawl:bad-input:10-gb-body",
    "crawl:bad-input:endless-body",
    "crawl:bad-input:private-address",
    "crawl:bad-input:robots-refused",
    "crawl:bad-input:404",
    "crawl:bad-input:wrong-content-type",
    "crawl:bad-input:redirect-loop",
  ],
  "whatever a link leads to is a status of its own, and the crawl goes on",
  async () => {
    // A server that promises 10 GB and sends as long as anyone reads.
    const sent = new Map<string, number>();
    const large = await useServer((request, response) => {
      const name = request.url ?? "";
      if (name === "/robots.txt") return void response.writeHead(404).end();
      const length = name === "/10-gb" ? { "content-length": String(10 * 1024 ** 3) } : {};
      response.writeHead(200, { "content-type": "text/html", ...length });
      const more = (): void => {
        do sent.set(name, (sent.get(name) ?? 0) + 65_536);
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      };
      response.on("drain", more);
      more();
    });
    const links = [
      `${large.url}/10-gb`,
      `${large.url}/endless`,
      "http://10.0.0.1/private",
      "http://169.254.169.254/latest/meta-data/",
      "/robots-says-no",
      "/missing",
      "/video",
      "/loop",
      "ftp://e.example/file",
      "mailto:someone@e.example",
      "javascript:alert(1)",
      "http://[not-an-address/",
      "/good",
    ];
    const pages: MiniWebPages = (target) => {
      if (target === "/") return { body: `<p>start</p>${links.map((link) => `<a href="${link}">x</a>`).join("")}` };
      if (target === "/video") return { body: "\u0000\u0001", contentType: "video/mp4" };
      return target === "/good" ? { body: "<title>good</title><p>A good page.</p>" } : undefined;
    };
    const faults = { robotsTxt: "User-agent: *\nDisallow: /robots-says-no", loops: ["/loop"] };
    await withDatabase((database) =>
      withMiniWeb(pages, faults, async (web) => {
        const seeds = [`${web.origin}/`, ...links.filter((link) => /^http:\/\/\d/.test(link))];
        const { statuses, end } = await crawlToEnd(realDeps(database), { urls: seeds });
        const at = (link: string): string | null | undefined => statuses[new URL(link, web.origin).href];
        expect(end.reason).toBe("nothing-left");
        expect(Object.fromEntries(links.slice(0, 8).map((link) => [link, at(link)]))).toEqual({
          [`${large.url}/10-gb`]: "too-large",
          [`${large.url}/endless`]: "too-large",
          "http://10.0.0.1/private": "private-address",
          "http://169.254.169.254/latest/meta-data/": "private-address",
          "/robots-says-no": "robots",
          "/missing": "not-there",
          "/video": "unsupported-type",
          "/loop": "redirect-loop",
        });
        expect(at("/good")).toBe("fetched");
        expect(Object.keys(statuses).filter((url) => !url.startsWith("http"))).toEqual([]);
        expect(sent.get("/10-gb") ?? 0).toBeLessThan(20 * 1024 * 1024); // its length was enough to know
        expect(sent.get("/endless")).toBeLessThan(64 * 1024 * 1024);
      }),
    );
  },
  LONG,
);

describeBrowser("a web of applications", (browserPath) => {
  verifies(
    ["crawl:render:always", "crawl:render:auto"],
    "is read as its visitors see it: links and texts that only scripts bring",
    () =>
      withDatabase((database) =>
        withMiniWeb(
          (target) =>
            target === "/app.js"
              ? {
                  contentType: "text/javascript",
                  body: `document.getElementById("root").innerHTML = location.pathname === "/"
                    ? '<h1>Home</h1><p>Words from a script.</p><a href="/second">on</a>' : '<p>The second view, also from a script.</p>';`,
                }
              : { body: '<title>App</title><div id="root"></div><script src="/app.js"></script>' },
          {},
          async (web) => {
            const request = { urls: [`${web.origin}/`], render: "auto", maxPages: 10 } as const;
            const { statuses } = await crawlToEnd(realDeps(database, browserPath), request);
            expect(Object.values(statuses)).toEqual(["fetched", "fetched"]);
            const texts = await textsOf(database);
            expect(texts.get("/")).toContain("Words from a script.");
            expect(texts.get("/second")).toContain("The second view");
            const documents = web.requests.filter((one) => !["/app.js", "/robots.txt"].includes(one.path));
            expect(documents.map((one) => one.path).sort()).toEqual(["/", "/second"]);
          },
        ),
      ),
    LONG,
  );
});
