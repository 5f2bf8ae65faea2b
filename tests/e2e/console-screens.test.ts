import { readFileSync } from "node:fs";
import path from "node:path";
import { startTestModelServer } from "@quarry/models/testing";
import { verifies } from "@quarry/tests";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ServerProcess } from "../../tools/server-process.ts";
import { browserProgram, checkPage, measureLongestTaskMs, takeWishedScreenshot, withPage } from "./console-browser.ts";
import { startConsoleWorld, startMiniWeb, type ConsoleWorld, type MiniWeb } from "./console-world.ts";
import { XSS_PAYLOADS } from "./xss-payloads.ts";

const MINUTE_MS = 60_000;
const PAYLOAD = `<img src=x onerror="alert('title')"><svg onload=alert(1)>`;

/** Three pages that answer questions of different subjects, and one that would run a script anywhere it could. */
const DOCUMENTS = [
  {
    url: "https://stone.example.org/granite",
    title: "How granite is cut",
    text: "Granite is quarried with diamond wire. The wire runs through drilled holes and saws the block free. Water cools the wire while it cuts.",
  },
  {
    url: "https://stone.example.org/marble",
    title: "Where marble comes from",
    text: "Marble is limestone that heat and pressure have changed. Carrara has quarried white marble for two thousand years.",
  },
  {
    url: "https://bread.example.org/sourdough",
    title: "Sourdough in a day",
    text: "Feed the starter in the morning. Fold the dough every half hour and bake it in a hot pot in the evening.",
  },
  {
    url: "https://evil.example.org/",
    title: PAYLOAD,
    text: `Obsidian is a glass. <script>alert("text")</script> ${PAYLOAD} [click](javascript:alert(1)) obsidian is sharp.`,
  },
];

/** A site of twenty pages, each linked from the first; one forbidden, one missing. Each edition has other texts. */
function readSlateSite(address: string, edition: number): string | undefined {
  if (address === "/robots.txt") return "User-agent: *\nDisallow: /private\nAllow: /private/open\n";
  const pages = Array.from({ length: 20 }, (_, index) => `/page/${index}`);
  if (address !== "/" && !pages.includes(address)) return undefined;
  const links = address === "/" ? [...pages, "/private", "/missing"] : [];
  const text =
    `<p>This is the page ${address} of a small site about slate, edition ${edition}, which splits into sheets.</p>`.repeat(
      3,
    );
  return `<html lang="en"><title>Slate ${address}</title><main>${text}${links.map((link) => `<a href="${link}">${link}</a>`).join(" ")}</main></html>`;
}

describe("the screens of the console", () => {
  if (browserProgram === undefined) {
    it.skip("needs Chromium: install it and run again");
    return;
  }
  let world: ConsoleWorld;
  let server: ServerProcess;
  let browser: Browser;
  let site: MiniWeb;
  let edition = 0; // of the site: a test that is tried again finds pages that it has not seen
  beforeAll(async () => {
    [world, site] = await Promise.all([
      startConsoleWorld(),
      startMiniWeb((address) => readSlateSite(address, edition)),
    ]);
    server = world.server();
    ({ browser } = world);
  }, 2 * MINUTE_MS);
  beforeEach(async () => {
    edition += 1;
    await world.settle();
    server = world.server();
  }, MINUTE_MS);
  afterAll(async () => {
    await world.stop();
    await site.close();
  }, MINUTE_MS);
  const open = (page: Page, address: string) => page.goto(`${server.url}/console${address}`);

  verifies(
    ["console:shell:empty-states"],
    "empty screens say what to do first, and importing a file from there makes it findable",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        await server.call("DELETE", "/quarry/v1/documents", { urls: DOCUMENTS.map(({ url }) => url) }); // of an earlier try
        await open(page, "/");
        await page.getByRole("heading", { name: "There is nothing to find yet" }).waitFor();
        await takeWishedScreenshot(page, "ask-empty-light");
        await open(page, "/crawls");
        await page.getByRole("heading", { name: "No site has been crawled" }).waitFor();
        await open(page, "/index");
        await page.getByRole("heading", { name: "The index is empty" }).waitFor();
        await takeWishedScreenshot(page, "index-empty-light");
        await page.getByRole("main").getByRole("link", { name: "Get started" }).first().click();
        await page.getByRole("button", { name: "Import files" }).click();
        const lines = DOCUMENTS.map((document) => JSON.stringify(document)).join("\n");
        await page.getByLabel(/Choose files/).setInputFiles([
          { name: "stones.ndjson", mimeType: "application/x-ndjson", buffer: Buffer.from(lines) },
          { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{") },
        ]);
        await page.getByText("stones.ndjson: 4 saved, 0 unchanged").waitFor();
        await page.getByText(/broken\.json: 0 saved.*not valid JSON/s).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "get-started-import-light");
        await page.getByRole("button", { name: /Next/ }).click();
        await page.reload();
        await page.getByRole("searchbox", { name: "First question" }).fill("how is granite cut");
        await page.getByRole("button", { name: "Ask" }).click();
        await page.getByRole("article").first().waitFor();
        expect(complaints.filter((one) => !one.includes("400"))).toEqual([]); // the browser logs the refused file
      }),
    2 * MINUTE_MS,
  );

  verifies(
    [
      "console:ask:search-box",
      "console:ask:results",
      "console:ask:why-ranked",
      "console:ask:snapshot",
      "console:ask:similar",
      "console:ask:timing",
      "console:state:in-url",
    ],
    "asks, shows quotes, says why, opens the stored page at the quote, finds similar pages and tells the time by stage",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        const marble = { query: "white stone from Carrara", type: "neural", numResults: 1 };
        const byMeaning = async (): Promise<string> => JSON.stringify(await server.call("POST", "/search", marble));
        await expect.poll(byMeaning, { timeout: MINUTE_MS }).toContain("stone.example.org/marble"); // its vectors are there
        await open(page, "/");
        await page.getByRole("searchbox", { name: "Ask" }).fill("how is granite cut");
        await page.keyboard.press("Enter");
        const first = page.getByRole("article").first();
        await first.getByRole("link", { name: "How granite is cut" }).waitFor();
        await first.locator("mark", { hasText: "Granite" }).first().waitFor();
        await page.locator("body").click({ position: { x: 900, y: 5 } });
        await page.keyboard.press("j");
        await page.keyboard.press("w");
        const why = first.getByRole("group", { name: "Why it ranks here" });
        await why.getByText(/score \d/).waitFor();
        expect(await why.getByRole("row").count()).toBeGreaterThan(1);
        await page.getByRole("button", { name: "Time by stage" }).click();
        await page
          .getByRole("group", { name: "Time by stage" })
          .getByText(/\d ms|\d s/)
          .first()
          .waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "ask-results-light");

        await page.keyboard.press("Escape");
        await first.focus();
        await page.keyboard.press("Enter");
        const stored = page.getByRole("dialog", { name: "How granite is cut" });
        await stored.locator("mark", { hasText: "diamond wire" }).first().waitFor();
        await page.reload(); // the address holds what is open
        await stored.locator("mark", { hasText: "diamond wire" }).first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "ask-stored-page-light");
        await page.keyboard.press("Escape");
        await stored.waitFor({ state: "detached" });
        await first.getByRole("button", { name: "Similar" }).click();
        await page
          .getByRole("dialog", { name: "Similar pages" })
          .getByRole("link", { name: /marble/i })
          .waitFor();
        await page.keyboard.press("Escape");

        await page.getByRole("radio", { name: "keyword" }).check({ force: true });
        await page.waitForURL(/type=keyword/);
        await page.getByRole("button", { name: "Filters" }).click();
        await page.getByLabel("Only these sites").fill("bread.example.org");
        await page.getByRole("button", { name: "Apply" }).click();
        await page.waitForURL(/only=bread/);
        await page.getByRole("heading", { name: "Nothing found" }).waitFor();
        await takeWishedScreenshot(page, "ask-filters-light");
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:ask:results", "console:quality:no-console-error", "security:console:stored-xss", "promises:t23:xss"],
    "shows 500 texts that would be scripts as text, in results, quotes, stored pages, lists and names",
    () =>
      withPage(
        browser,
        server,
        async ({ page, complaints }) => {
          const documents = Array.from({ length: XSS_PAYLOADS.length / 5 }, (_, index) => {
            const [title = "", first = "", second = "", author = "", inUrl = ""] = XSS_PAYLOADS.slice(5 * index);
            const url = new URL(`https://payloads.example.org/${index}/?${inUrl}#${inUrl}`).href;
            return { url, title, author, text: `Obsidian is a glass. ${first} Obsidian is sharp. ${second}` };
          });
          expect(documents).toHaveLength(100);
          const [{ title: name }] = documents as [(typeof documents)[0]];
          expect((await server.call("POST", "/quarry/v1/documents?wait=true", documents)).status).toBe(200);
          expect((await server.call("POST", "/quarry/v1/keys", { name })).status).toBe(201);

          await open(page, "/?q=obsidian&type=keyword&n=100&only=payloads.example.org");
          await expect.poll(() => page.getByRole("article").count(), { timeout: 20_000 }).toBe(100);
          const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
          const told = plain((await page.getByRole("main").textContent()) ?? "");
          expect(documents.filter(({ title }) => !told.includes(plain(title)))).toEqual([]);
          expect(documents.filter(({ author }) => told.includes(plain(author))).length).toBeGreaterThan(0);
          await takeWishedScreenshot(page, "ask-results-dark");
          for (const { url } of documents.filter((_, index) => index % 25 === 0)) {
            await open(page, `/?q=obsidian&panel=page&url=${encodeURIComponent(url)}`);
            const stored = page.getByRole("dialog").filter({ hasText: "Obsidian is a glass" });
            await stored.getByText("alert(1)").first().waitFor();
          }
          await open(page, "/index");
          const list = page.getByRole("table", { name: "Documents" });
          await list.getByRole("row").nth(5).waitFor();
          for (let step = 0; step <= 10; step += 1) {
            await page.evaluate(`document.querySelector("[aria-label=Documents]").scrollTo(0, ${step * 600})`);
          }
          await list.getByText(PAYLOAD).waitFor();
          await takeWishedScreenshot(page, "index-filled-dark");
          await open(page, "/keys");
          await page.getByRole("cell", { name }).first().waitFor();
          await open(page, "/playground?op=findDocuments");
          await page.getByRole("button", { name: "Send" }).click();
          await page.getByRole("region", { name: "Reply body" }).getByText("onerror").first().waitFor();
          const made = "main :is(img, script, iframe, object, embed, style, base, video, audio, math, marquee)";
          expect(await page.locator(made).count()).toBe(0);
          expect(complaints).toEqual([]); // no script, no dialog, no request elsewhere, nothing that the page's policy had to stop
          await server.call("DELETE", "/quarry/v1/documents", { urls: documents.map(({ url }) => url) });
        },
        { theme: "dark" },
      ),
    2 * MINUTE_MS,
  );

  verifies(
    [
      "console:crawl:start-and-watch",
      "console:crawl:errors-by-kind",
      "console:crawl:pause-cancel",
      "console:crawl:why-not-indexed",
      "console:crawl:robots-viewer",
      "console:shell:toasts",
      "console:state:reload",
      "console:state:sse-resume",
    ],
    "starts a crawl, watches it live, pauses it, says that a killed server is gone, goes on when it is back, says why a page is missing",
    () =>
      withPage(browser, server, async ({ page }) => {
        await open(page, "/crawls?dialog=new");
        await page.getByLabel("Address", { exact: true }).fill(`${site.url}/`);
        await page.getByText("More", { exact: true }).click();
        await page.getByLabel("Pause at a host, in ms").fill("150");
        await page.getByRole("button", { name: "Begin the crawl" }).click();
        await page.getByText("live", { exact: true }).waitFor();
        await page.getByText("fetched", { exact: true }).first().waitFor();
        await page.getByRole("button", { name: "Pause" }).click();
        await page.getByText("paused", { exact: true }).waitFor();
        const visited = async (): Promise<number> =>
          Number.parseInt((await page.locator(".figures dd").first().textContent()) ?? "", 10);
        const atRest = await visited();
        await world.kill();
        await page.getByText("The server does not answer. What you see is as old as that").waitFor();
        expect(await visited()).toBe(atRest); // what was there stays
        await world.restart();
        server = world.server();
        await page.getByText("What you see is as old as that").waitFor({ state: "detached" });
        expect(await page.getByLabel("API key").count()).toBe(0); // still signed in, and the page was not loaded again
        await page.getByRole("button", { name: "Resume" }).click();
        await expect.poll(visited, { timeout: 20_000 }).toBeGreaterThan(atRest);
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "crawl-running-light");
        await page.getByText("completed", { exact: true }).waitFor({ timeout: 60_000 });
        await page.getByText("Everything in its scope was visited.").waitFor();
        expect(await visited()).toBe(23); // nothing lost, nothing twice: the start, twenty pages, one forbidden, one missing
        await page.getByText("robots.txt forbids it").waitFor();
        await page
          .getByRole("link", { name: /^1 page$/ })
          .first()
          .click();
        await page.waitForURL(/status=/);
        await page.getByRole("button", { name: "Hosts and their pace" }).click();
        const { host } = new URL(site.url);
        await page.getByRole("cell", { name: host, exact: true }).waitFor();
        await takeWishedScreenshot(page, "crawl-hosts-light");
        await page.getByRole("button", { name: `robots.txt of ${host}` }).click();
        const robots = page.getByRole("dialog", { name: `Robots rules of ${host}` });
        const rules = robots.getByRole("region", { name: "Rules" });
        await rules.getByRole("row", { name: "forbids /private", exact: true }).waitFor();
        await rules.getByRole("row", { name: "allows /private/open", exact: true }).waitFor();
        await robots.getByText("QuarryBot", { exact: true }).waitFor();
        await robots.getByRole("timer").getByText("may begin at once").waitFor();
        await page.reload();
        await rules.getByRole("row", { name: "forbids /private", exact: true }).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "crawl-robots-light");
        await page.keyboard.press("Escape");

        await withSlowSite(async (slow) => {
          const wish = { url: `${slow.url}/`, maxPages: 2 };
          const { id } = (await server.call("POST", "/quarry/v1/crawls", wish)).body as { id: string };
          const clock = (): Promise<string | null> => page.getByRole("timer").textContent();
          await open(page, `/crawls/${id}?view=hosts&robots=${encodeURIComponent(`${slow.url}/`)}`);
          await page.getByText("30 s", { exact: true }).waitFor(); // the pause that it asks for
          await expect.poll(clock, { timeout: 20_000 }).toMatch(/^in \d/); // we wait so long, and the clock runs
          const first = await clock();
          await expect.poll(clock, { timeout: 5_000 }).not.toBe(first);
          await server.call("POST", `/quarry/v1/crawls/${id}/cancel`);
        });

        await open(page, "/crawls");
        await page.getByLabel("URL that is missing").fill(`${site.url}/missing`);
        await page.getByRole("button", { name: "Find out" }).click();
        await page.getByText(/The site has no such page \(404\)/).waitFor();
        await takeWishedScreenshot(page, "crawl-why-light");

        await open(page, "/crawls?dialog=new");
        await page.getByLabel("Address", { exact: true }).fill(`${site.url}/`);
        await page.getByRole("button", { name: "Begin the crawl" }).click();
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Cancel the crawl" }).click();
        await page.getByText("canceled", { exact: true }).waitFor();

        await page.context().clearCookies();
        await page.getByRole("link", { name: "Keys" }).click();
        await page.getByLabel("API key").fill(server.key);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
      }),
    3 * MINUTE_MS,
  );

  verifies(
    ["console:index:charts", "console:index:optimise"],
    "counts documents, languages, sites and disk, optimises the index and deletes a document",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        const url = `https://bread.example.org/rye/${edition}`; // the newest: at the top of the list
        const rye = { url, title: "Rye bread", text: "Rye bread rises slowly and keeps for a week." };
        expect((await server.call("POST", "/quarry/v1/documents?wait=true", [rye])).status).toBe(200);
        await open(page, "/index");
        await page.getByRole("list", { name: "Documents by site" }).getByText("stone.example.org").waitFor();
        await page.getByRole("list", { name: "Documents by language" }).getByRole("listitem").first().waitFor();
        await page.getByRole("list", { name: "Bytes on disk" }).getByText("Search index").waitFor();
        await page.getByText("Chunks with vectors").waitFor();
        await page.getByRole("button", { name: "Optimise" }).click();
        await page.getByText("The index is optimised").waitFor({ timeout: 60_000 });
        await page.getByRole("button", { name: `Delete ${url}` }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
        await page.getByText("The document is deleted").waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "index-filled-light");
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    "console:index-lab:judged-queries",
    "judges a query, asks it twice and shows the figures of each type beside those of the round before",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        // What an earlier try left: its queries can be forgotten, its rounds stay.
        const listed = async (path: string) =>
          ((await server.call("GET", path)).body as { data: { id: string }[] }).data;
        const queries = await listed("/quarry/v1/judged-queries");
        for (const { id } of queries) await server.call("DELETE", `/quarry/v1/judged-queries/${id}`);
        const change = (await listed("/quarry/v1/judged-queries/runs")).length === 0 ? "–" : "0.000";
        await open(page, "/lab");
        await page.getByRole("heading", { name: "No query is judged yet" }).waitFor();
        await page.getByRole("button", { name: "New query" }).first().click();
        await page.getByLabel("Query", { exact: true }).fill("how is granite cut");
        await page.getByLabel("Good pages, one a line").fill("granite");
        await page.getByRole("button", { name: "Save the query" }).click();
        await page.getByRole("alert").getByText(/url/i).waitFor(); // refused in words
        await page.getByLabel("Good pages, one a line").fill("https://stone.example.org/granite");
        expect(await checkPage(page)).toEqual([]);
        await page.getByRole("button", { name: "Save the query" }).click();
        await page.getByRole("cell", { name: "how is granite cut", exact: true }).waitFor();
        const figures = page.getByRole("region", { name: "Figures by type" });
        const words = figures.getByRole("row", { name: /^keyword / });
        await page.getByRole("button", { name: "Ask them all" }).click();
        await expect
          .poll(() => words.getByRole("cell").allTextContents(), { timeout: 20_000 })
          .toEqual(["keyword", "1.000", change, "1.000", change]);
        await page.getByRole("button", { name: "Ask them all" }).click();
        await expect
          .poll(() => words.getByRole("cell").allTextContents(), { timeout: 20_000 })
          .toEqual(["keyword", "1.000", "0.000", "1.000", "0.000"]);
        await page.reload();
        await page.getByRole("img", { name: /^nDCG@10 over time/ }).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "index-lab-light");
        expect(complaints.filter((one) => !one.includes("400"))).toEqual([]); // the browser logs the refused address
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:keys:manage", "console:usage:charts", "console:usage:csv"],
    "makes, rotates and revokes a key, and charts the requests that were made",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        const name = `test-agent-${edition}`;
        await open(page, "/keys");
        await page.getByRole("button", { name: "New key" }).click();
        await page.getByLabel("Name").fill(name);
        expect(await checkPage(page)).toEqual([]);
        await page.getByRole("button", { name: "Make the key" }).click();
        const secret = await page.getByRole("dialog").getByText(/^qry_/).textContent();
        const asked = async (): Promise<number> =>
          (
            await page.request.post(`${server.url}/search`, {
              headers: { "x-api-key": secret ?? "" },
              data: { query: "granite" },
            })
          ).status();
        expect(await asked()).toBe(200);
        await page.getByRole("button", { name: "I have it" }).click();
        await page.getByRole("button", { name: `Rotate ${name}` }).click();
        await page.getByRole("button", { name: "Rotate", exact: true }).click();
        expect(await page.getByRole("dialog").getByText(/^qry_/).textContent()).not.toBe(secret);
        await page.getByRole("button", { name: "I have it" }).click();
        await page.getByRole("button", { name: `Revoke ${name}` }).click();
        await page.getByRole("button", { name: "Revoke", exact: true }).click();
        await page.getByRole("row").filter({ hasText: name }).getByText("revoked", { exact: true }).waitFor();
        await takeWishedScreenshot(page, "keys-used-light");

        await open(page, "/usage?days=1");
        await page.getByRole("img", { name: /^Requests/ }).waitFor();
        await page.getByRole("img", { name: /^Latency/ }).waitFor();
        await page.getByRole("cell", { name: "POST /search" }).waitFor();
        await page.getByRole("button", { name: "Keys" }).click();
        await page.getByRole("cell", { name }).waitFor();
        await takeWishedScreenshot(page, "usage-filled-light");
        const csv = (await page.getByRole("link", { name: "Download CSV" }).getAttribute("href")) ?? "";
        expect(await (await page.request.get(`${server.url}${csv}`)).text()).toMatch(
          /^periodStart,keyId,keyName,requests/,
        );
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    [
      "console:playground:every-endpoint",
      "console:playground:new-endpoints",
      "console:playground:live-json",
      "console:playground:copy-as",
      "console:playground:history-and-permalinks",
    ],
    "has a form for every endpoint, one that appears tomorrow too, and writes, sends, follows and keeps requests",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        await page.route("**/openapi.json", async (route) => {
          const response = await route.fetch();
          const document = (await response.json()) as { paths: Record<string, unknown> };
          const properties = { colour: { enum: ["red", "blue"] } };
          const schema = { type: "object", required: ["colour"], properties };
          document.paths["/tomorrow"] = {
            post: {
              operationId: "tomorrow",
              summary: "New",
              requestBody: { content: { "application/json": { schema } } },
            },
          };
          await route.fulfill({ response, json: document });
        });
        const { body } = await server.call("GET", "/openapi.json");
        const operations = Object.values((body as { paths: Record<string, object> }).paths).flatMap(Object.keys);
        await open(page, "/playground?op=tomorrow");
        await page.getByLabel("colour").selectOption("blue");
        expect(await page.getByLabel("Body as JSON").inputValue()).toBe('{\n  "colour": "blue"\n}');
        expect(await page.getByRole("navigation", { name: "Endpoints" }).getByRole("link").count()).toBe(
          operations.length + 1,
        );

        await open(page, "/playground?op=search");
        await page.getByLabel("Body as JSON").fill('{"query": "granite", "numResults": 1}');
        expect(await page.getByLabel("numResults").inputValue()).toBe("1");
        await page.getByLabel("numResults").fill("2");
        await page.keyboard.press("Control+Enter");
        await page.getByRole("region", { name: "Reply body" }).getByText("How granite is cut").waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "playground-reply-light");
        await page.getByRole("tab", { name: "curl" }).click();
        await page.getByRole("button", { name: "Copy as curl" }).click();
        const copied = await page.evaluate<string>("navigator.clipboard.readText()");
        expect(copied).toContain(`curl -s -X POST ${server.url}/search`);
        expect(copied).toContain('"numResults": 2');
        await page.getByRole("tab", { name: "exa-js" }).click();
        await page.getByText('exa.search("granite"').waitFor();
        await page.reload();
        expect(await page.getByLabel("numResults").inputValue()).toBe("2");
        await page.getByText("Sent before (1)").waitFor();

        const [crawl] = ((await server.call("GET", "/quarry/v1/crawls")).body as { data: { id: string }[] }).data;
        await open(page, `/playground?op=watchCrawl`);
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByText("Fill in id, then send again.").waitFor();
        await page.getByRole("button", { name: "Close message" }).click();
        await page.getByLabel("id path needed").fill(crawl?.id ?? "");
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByRole("list", { name: "Events" }).getByText("crawl.canceled").waitFor();
        await page.getByRole("tab", { name: "CLI" }).click();
        await page.getByText("No command does this; use curl.").waitFor();
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:quality:50k-rows"],
    "scrolls through 50,000 pages of a crawl without a task over 100 ms",
    () =>
      withPage(browser, server, async ({ page }) => {
        const [crawl] = ((await server.call("GET", "/quarry/v1/crawls")).body as { data: { id: string }[] }).data;
        await serveLongCrawl(page);
        await open(page, `/crawls/${crawl?.id ?? ""}`);
        const list = page.getByRole("table", { name: "Pages" });
        await list.waitFor();
        const reach = async (rows: number): Promise<void> => {
          await expect
            .poll(
              async () => {
                await page.evaluate(
                  "{ const list = document.querySelector('[aria-label=Pages]'); list.scrollTo(0, list.scrollHeight); }",
                );
                return Number(await list.getAttribute("aria-rowcount"));
              },
              { timeout: 60_000, interval: 20 },
            )
            .toBe(rows + 1);
        };
        await reach(50_000);
        const longestMs = await measureLongestTaskMs(page, async () => {
          await page.evaluate(`new Promise((resolve) => {
            const element = document.querySelector("[aria-label=Pages]");
            element.scrollTo(0, 0);
            let step = 0;
            const go = () => {
              if (step === 60) return resolve();
              step += 1;
              element.scrollTo(0, (element.scrollHeight * step) / 60);
              requestAnimationFrame(() => requestAnimationFrame(go));
            };
            requestAnimationFrame(go);
          })`);
        });
        expect(longestMs).toBeLessThanOrEqual(100);
        await list.getByText("https://large.example.org/section/49999/").waitFor();
        expect(await list.getByRole("row").count()).toBeLessThan(100);
      }),
    3 * MINUTE_MS,
  );

  verifies(
    ["console:first-run:steps", "console:first-run:model-tested", "console:settings:origin"],
    "starts with a model that is tested live and kept, the sample and a first question; settings tell where values come from",
    async () => {
      const model = await startTestModelServer((_, response) => {
        const message = { role: "assistant", content: "ready" };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
      });
      try {
        await withPage(browser, server, async ({ page, complaints }) => {
          await open(page, "/welcome");
          await page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
          await page.getByRole("button", { name: "Test it" }).click();
          await page
            .getByRole("alert")
            .getByText(/It did not answer/)
            .waitFor();
          await page.getByLabel("Address").fill(model.url);
          await page.getByLabel("Model").fill("tiny");
          await page.getByRole("button", { name: "Test it" }).click();
          await page.getByText(/It answered in \d+ ms: “ready”/).waitFor();
          expect(model.seen[0]?.body).toMatchObject({ model: "tiny" });
          expect(await checkPage(page)).toEqual([]);
          await takeWishedScreenshot(page, "get-started-model-light");
          await page.getByRole("button", { name: "Use it" }).click();
          await page.getByText("Written to quarry.config.json").waitFor();
          const kept: unknown = JSON.parse(readFileSync(path.join(world.directory, "quarry.config.json"), "utf8"));
          expect(kept).toEqual({ llmUrl: model.url, llmModel: "tiny" });

          await page.getByRole("button", { name: /Next/ }).click();
          await page.getByRole("button", { name: "Crawl a site" }).click();
          await page.getByLabel("Address", { exact: true }).fill(`${site.url}/page/7`);
          await page.getByLabel("Pages at most").fill("3");
          await page.getByText("More", { exact: true }).click();
          await page.getByLabel("Pause at a host, in ms").fill("50");
          await page.getByRole("button", { name: "Begin the crawl" }).click();
          const crawl = page.getByRole("status").filter({ hasText: "visited" });
          await crawl.getByText("completed").waitFor();
          await page.reload();
          await crawl.getByText("completed").waitFor();
          await takeWishedScreenshot(page, "get-started-crawl-light");
          await page.getByRole("button", { name: "Load the sample" }).click();
          await page.getByRole("button", { name: "Load it" }).click();
          await page.getByText(/\d{3} pages can be found/).waitFor({ timeout: MINUTE_MS });
          await page.getByRole("button", { name: /Next/ }).click();
          await page.getByRole("button", { name: /Next/ }).click();
          await page.getByRole("link", { name: "Done" }).click();
          await page.getByRole("searchbox", { name: "Ask" }).waitFor();

          await open(page, "/settings");
          const row = page.getByRole("row", { name: /QUARRY_ALLOW_PRIVATE_HOSTS/ });
          await row.getByText("127.0.0.1").waitFor();
          await row.getByText("env QUARRY_ALLOW_PRIVATE_HOSTS").waitFor();
          await page
            .getByRole("row", { name: /QUARRY_HOST/ })
            .getByText("default")
            .waitFor();
          expect(complaints).toEqual([]);
        });
      } finally {
        await model.close();
      }
    },
    2 * MINUTE_MS,
  );
});

/** A site that asks for half a minute between two visits. */
async function withSlowSite(work: (site: MiniWeb) => Promise<void>): Promise<void> {
  const site = await startMiniWeb((address) =>
    address === "/robots.txt"
      ? "User-agent: *\nCrawl-delay: 30\n"
      : `<html lang="en"><title>Slow</title><main><p>A page about patience, which a visitor needs here.</p><a href="/next">next</a></main></html>`,
  );
  try {
    await work(site);
  } finally {
    await site.close();
  }
}

/** Makes crawls seem to have 50,000 pages. The browser's own fetch brings them: fifteen megabytes on the way from here cost more than the list. */
async function serveLongCrawl(page: Page): Promise<void> {
  const rows = 50_000;
  const rowsAtOnce = 5_000;
  await page.addInitScript(`{
    const fetchAsBefore = window.fetch;
    const rowOf = (row) => ({
      url: "https://large.example.org/section/" + row + "/a-page-with-a-long-name",
      state: "done",
      status: row % 7 === 0 ? "timeout" : "fetched",
      message: row % 7 === 0 ? "no whole answer in 10 s" : null,
      httpStatus: 200,
      finalUrl: null,
      byteLength: 12_345 + row,
      doneAt: "2026-01-01T00:00:00.000Z",
    });
    window.fetch = (input, wish) => {
      const address = new URL(String(input), location.href);
      if (!/\\/crawls\\/[^/]+\\/pages$/.test(address.pathname)) return fetchAsBefore(input, wish);
      const from = Number(address.searchParams.get("cursor") ?? "0");
      const next = from + ${rowsAtOnce} < ${rows} ? String(from + ${rowsAtOnce}) : null;
      const data = Array.from({ length: ${rowsAtOnce} }, (_, index) => rowOf(from + index));
      const reply = { data, hasMore: next !== null, nextCursor: next };
      return Promise.resolve(Object.assign(new Response(), { json: () => Promise.resolve(reply) }));
    };
  }`);
}
