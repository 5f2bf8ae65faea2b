import { findDocument } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { crawlToEnd, fakeCrawlDeps, pageWith, type FakeWeb } from "../testing.ts";

const site = "https://e.example";
const SHELL = '<title>App</title><div id="root"></div><script src="/main.js"></script><a href="/plain">x</a>';

/** `/` is an application's empty shell, `/plain` a page with text. */
const WEB: FakeWeb = (url) => {
  const { pathname } = new URL(url);
  if (pathname === "/") return { body: SHELL, headers: { etag: '"shell"' } };
  if (pathname === "/plain") return pageWith("plain page");
  return pathname === "/late" ? pageWith("late page") : undefined;
};
/** A browser in which the shell fills with words and a link. */
const browser = (html: string): string =>
  html.replace('<div id="root">', '<div id="root"><p>Words that a script has brought.</p><a href="/late">late</a>');

async function textOf(database: Parameters<Parameters<typeof withDatabase>[0]>[0], path: string) {
  const document = await findDocument(database, ["one"], `${site}${path}`);
  return { words: document?.wordCount, rendered: document?.details.rendered, etag: document?.etag };
}

verifies("crawl:render:never", "reads pages as they came, whatever scripts they have", () =>
  withDatabase(async (database) => {
    const shown: string[] = [];
    const deps = fakeCrawlDeps(database, WEB, { render: (html, url) => (shown.push(url), html) });
    const { statuses } = await crawlToEnd(deps, { urls: [`${site}/`], render: "never" });
    expect(statuses).toEqual({ [`${site}/`]: "fetched", [`${site}/plain`]: "fetched" });
    expect(shown).toEqual([]);
  }),
);

verifies("crawl:render:auto", "shows the page without text to a browser, and only that", () =>
  withDatabase(async (database) => {
    const shown: string[] = [];
    const render = (html: string, url: string): string => (shown.push(url), browser(html));
    const deps = fakeCrawlDeps(database, WEB, { render });
    const { statuses } = await crawlToEnd(deps, { urls: [`${site}/`], render: "auto" });
    expect(shown).toEqual([`${site}/`]);
    expect(Object.keys(statuses).sort()).toEqual([`${site}/`, `${site}/late`, `${site}/plain`]);
    // The server's validator speaks of the shell, not of what its scripts made of it.
    expect(await textOf(database, "/")).toMatchObject({ rendered: true, etag: null });
    expect(await textOf(database, "/plain")).toMatchObject({ rendered: undefined });
    const snapshotId = (await findDocument(database, ["one"], `${site}/`))?.snapshotId ?? "";
    const bytes = await deps.snapshots.get(snapshotId);
    expect(Buffer.from(bytes ?? []).toString()).toContain("Words that a script has brought.");
  }),
);

verifies("crawl:render:always", "shows every page to a browser, each fetched once", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, WEB, { render: browser });
    await crawlToEnd(deps, { urls: [`${site}/`], render: "always" });
    expect(await textOf(database, "/plain")).toMatchObject({ rendered: true });
    expect(deps.asked.toSorted()).toEqual([`${site}/`, `${site}/late`, `${site}/plain`]);
  }),
);

verifies("crawl:render:no-browser", "without a browser says so of the page, follows its links and goes on", () =>
  withDatabase(async (database) => {
    const { statuses, end, crawl } = await crawlToEnd(fakeCrawlDeps(database, WEB), {
      urls: [`${site}/`],
      render: "auto",
    });
    expect(statuses).toEqual({ [`${site}/`]: "no-browser", [`${site}/plain`]: "fetched" });
    expect([end.reason, crawl.pagesFailed]).toEqual(["nothing-left", 1]);
    expect(await findDocument(database, ["one"], `${site}/`)).toBeUndefined();
  }),
);

it("follows a page's scripts only to where its links may lead", () =>
  withDatabase(async (database) => {
    const led: Readonly<Record<string, string>> = {
      "/": "/plain",
      "/away": "https://other.example/",
      "/out": "/private/x",
    };
    const web: FakeWeb = (url) => {
      const { pathname } = new URL(url);
      if (pathname === "/robots.txt") return undefined;
      return pathname in led ? { body: SHELL } : pageWith("a page that needs no browser");
    };
    const render = (html: string, url: string) => {
      const to = led[new URL(url).pathname];
      return to === undefined ? html : { movedTo: new URL(to, url).href };
    };
    const deps = fakeCrawlDeps(database, web, { render });
    const request = { urls: ["/", "/away", "/out"].map((path) => `${site}${path}`), exclude: ["/private/*"] };
    const { statuses } = await crawlToEnd(deps, { ...request, render: "auto" });
    expect(statuses).toEqual({
      [`${site}/`]: "redirected",
      [`${site}/plain`]: "fetched",
      [`${site}/away`]: "redirected-away",
      [`${site}/out`]: "redirected-away",
    });
    expect(deps.asked.filter((url) => url.includes("other.example") || url.includes("private"))).toEqual([]);
  }));
