/* eslint-disable max-lines -- every path of work shares one server and one browser, which take longer to start than most paths */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { RESEARCH_BUDGETS } from "@quarry/answer";
import { ToolService, type CellAttempt as ContractAttempt } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { BUDGETS } from "../../apps/console/src/screens/research/research-tree.ts";
import type { CellAttempt, Webset } from "../../apps/console/src/screens/websets/webset-shapes.ts";
import {
  browserProgram,
  checkPage,
  measureLongestTaskMs,
  takeWishedScreenshot,
  withPage as withPageOf,
  type PageWish,
  type WatchedPage,
} from "./console-browser.ts";
import { startConsoleWorld, startMiniWeb, type ConsoleWorld, type MiniWeb } from "./console-world.ts";

const MINUTE_MS = 60_000;
const PAYLOAD = `<img src=x onerror="alert('title')">`;
const QUESTION = "In which year was the company founded?";

const ARTICLES = [
  {
    path: "/granite",
    title: `How granite is cut ${PAYLOAD}`,
    text: "Granite is quarried with diamond wire. The wire runs through drilled holes and saws the block free. Water cools the wire while it cuts.",
  },
  {
    path: "/marble",
    title: "Where marble comes from",
    text: "Marble is limestone that heat and pressure have changed. Marble comes from Carrara, which has quarried white marble for two thousand years.",
  },
  {
    path: "/slate",
    title: "How slate is split",
    text: "Slate is split by hand with a broad chisel. A block of slate splits into sheets along its cleavage.",
  },
];

const COMPANIES = [
  ["Alpenrad", "makes electric cargo bikes", 2015],
  ["Bergwerk", "makes electric cargo bikes", 2011],
  ["Citylast", "makes electric cargo bikes", 2019],
  ["Elbkuchen", "bakes plum cake", 2001],
  ["Fjordbrot", "bakes dark bread", 1998],
] as const;

/** What the model keeps to itself so that a webset stays half filled, and a research before its first plan. */
const HELD = /Entity: (?:Citylast|Fjordbrot) |You plan research/;

/** A site about stones and of companies, each page linked from the first. */
function readMiniWeb(address: string): string | undefined {
  const escape = (text: string): string => text.replaceAll("<", "&lt;");
  const page = (title: string, head: string, body: string): string =>
    `<!doctype html><html lang="en"><head><title>${escape(title)}</title>${head}</head><body><main><h1>${escape(title)}</h1>${body}</main></body></html>`;
  if (address === "/robots.txt") return "User-agent: *\nAllow: /\n";
  if (address === "/") {
    const links = [...ARTICLES.map((article) => article.path), ...COMPANIES.map(([name]) => `/${name}`)];
    return page("A small web", "", links.map((link) => `<a href="${link}">${link}</a>`).join(" "));
  }
  const article = ARTICLES.find((one) => one.path === address);
  if (article !== undefined) return page(article.title, "", `<p>${article.text}</p>`);
  const company = COMPANIES.find(([name]) => `/${name}` === address);
  if (company === undefined) return undefined;
  const [name, work, year] = company;
  const url = `https://${name.toLowerCase()}.example/`;
  const organization = JSON.stringify({ "@context": "https://schema.org", "@type": "Organization", name, url });
  const text = `<p>${name} ${work}. ${name} was founded in ${year}.</p><p>This page tells who we are and what we do, for customers and for the press.</p>`;
  return page(name, `<script type="application/ld+json">${organization}</script>`, text);
}

it("reads attempts in the shape that the contract has", () => {
  expectTypeOf<CellAttempt>().toEqualTypeOf<Readonly<ContractAttempt>>();
});

it("tells the budgets of research as the server has them", () => {
  for (const [model, budget] of Object.entries(BUDGETS)) {
    expect(RESEARCH_BUDGETS[model as keyof typeof BUDGETS]).toMatchObject(budget);
  }
});

describe("work in the console", () => {
  if (browserProgram === undefined) {
    it.skip("needs Chromium: install it and run again");
    return;
  }
  let world: ConsoleWorld;
  let site: MiniWeb;
  let workspace = "";
  const server = () => world.server();
  const withPage = (work: (watched: WatchedPage) => Promise<void>, wish?: PageWish): Promise<void> =>
    withPageOf(world.browser, server(), work, wish);
  const open = (page: Page, address: string) => page.goto(`${server().url}/console${address}`);
  const make = async <Made>(address: string, body: object): Promise<Made> => {
    const { status, body: made } = await server().call("POST", address, body);
    expect([status, made]).toEqual([expect.toSatisfy((one: number) => one < 300), made]);
    return made as Made;
  };
  const read = async <Found>(address: string): Promise<Found> => (await server().call("GET", address)).body as Found;
  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-workspace-")));
    [world, site] = await Promise.all([
      startConsoleWorld({ hasLlm: true, settings: { QUARRY_WORKSPACE_ROOTS: workspace, QUARRY_PRICES: "exa" } }),
      startMiniWeb(readMiniWeb),
    ]);
    const { id } = await make<{ id: string }>("/quarry/v1/crawls", { url: `${site.url}/`, delayMs: 0 });
    const done = 1 + ARTICLES.length + COMPANIES.length;
    const patience = { timeout: MINUTE_MS, interval: 100 };
    await vi.waitFor(async () => {
      expect(await read(`/quarry/v1/crawls/${id}`)).toMatchObject({
        status: "completed",
        progress: { done, failed: 0 },
      });
      const { body } = await server().call("POST", "/search", { query: "cargo bikes", type: "keyword" });
      expect(body).toMatchObject({ results: [{}, {}, {}] });
    }, patience);
  }, 2 * MINUTE_MS);
  beforeEach(() => world.settle(), MINUTE_MS);
  afterAll(async () => {
    await world.stop();
    await site.close();
    rmSync(workspace, { recursive: true, force: true });
  }, MINUTE_MS);

  /** A call of a Connect client, and what it was told in the end. */
  const search = async (query: string, toolCallId: string, sessionId: string): Promise<string> => {
    const transport = createConnectTransport({ baseUrl: server().url, httpVersion: "1.1", useBinaryFormat: true });
    const call = {
      tool: { case: "exaSearchToolCall" as const, value: { args: { query, type: "keyword", toolCallId } } },
    };
    let told = "";
    const headers = { "x-api-key": server().key };
    for await (const { event } of createClient(ToolService, transport).runAgentTool({ sessionId, call }, { headers })) {
      if (event.case === "agentResult") {
        told = JSON.stringify(event.value, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      }
    }
    return told;
  };
  /** Deletes all of a list, which an earlier try of a test may have left. */
  const clear = async (address: string): Promise<void> => {
    const { data } = await read<{ data: { id: string }[] }>(address);
    for (const { id } of data) await server().call("DELETE", `${address}/${id}`);
  };
  /** Says no to what still waits for an answer, for the same reason. */
  const rejectWaiting = async (): Promise<void> => {
    const { data } = await read<{ data: { id: string }[] }>("/quarry/v1/approvals?status=pending");
    for (const { id } of data) await server().call("POST", `/quarry/v1/approvals/${id}/answer`, { decision: "reject" });
  };
  const makeSession = async (): Promise<string> => (await make<{ id: string }>("/quarry/v1/sessions", {})).id;
  let websetId = "";
  let researchId = "";

  verifies(
    [
      "console:proof:end-to-end",
      "console:websets:list-and-wizard",
      "console:websets:live-cells",
      "console:websets:success-rate",
      "console:websets:override",
      "console:research:event-tree",
      "console:research:report",
      "console:webhooks:replay-and-test",
    ],
    "does every main path over a crawled web, reloads in the middle of each, and goes on where a killed server left them",
    async () => {
      await clear("/websets/v0/websets");
      await rejectWaiting();
      let status = 410; // the receiver is gone: given up at once
      const receiver = createServer((request, response) => {
        request.resume();
        response.writeHead(status).end(`the receiver says ${status}`);
      });
      const address = await listen(receiver);
      try {
        await withPage(async ({ page: list, complaints }) => {
          const [inquiry, inbox, hook] = await Promise.all([
            list.context().newPage(),
            list.context().newPage(),
            list.context().newPage(),
          ]);
          const pages = [list, inquiry, inbox, hook];
          for (const page of pages) page.setDefaultTimeout(30_000);

          // A webset by hand, as far as the model lets it come.
          await open(list, "/websets");
          await list.getByRole("heading", { name: "There is no webset" }).waitFor();
          await list.getByRole("button", { name: "New webset" }).first().click();
          await list.getByLabel("What the list is of").fill("companies that make electric cargo bikes");
          await list.getByRole("button", { name: "Preview" }).click();
          await list.getByLabel("What the items are").selectOption("company");
          await list.getByRole("list", { name: "For instance" }).getByText("alpenrad.example").first().waitFor();
          await list.getByLabel(/What each must meet/).fill("makes electric cargo bikes");
          await list.getByLabel(/What to ask of each/).fill(QUESTION);
          await list.getByLabel(/Estimate how many/).check();
          await list.getByRole("button", { name: "Estimate", exact: true }).click();
          await list.getByText(/At most \d+ candidates judged/).waitFor();
          expect(await checkPage(list)).toEqual([]);
          await takeWishedScreenshot(list, "webset-wizard-light");
          world.models.shut((asked) => HELD.test(asked));
          await list.getByRole("button", { name: "Make the webset" }).click();
          const grid = list.getByRole("grid", { name: "Items" });
          await grid
            .getByRole("button", { name: /^makes electric cargo bikes of \w+: yes$/ })
            .first()
            .waitFor();
          websetId = new URL(list.url()).pathname.split("/").at(-1) ?? "";

          // A research, a webhook that fails, and two calls of a Connect client.
          await open(inquiry, "/research");
          await inquiry.getByRole("button", { name: "New research" }).first().click();
          await inquiry
            .getByLabel("What to find out")
            .fill("How is granite cut? Where does marble come from? How is slate split?");
          await inquiry.getByLabel("Budget").selectOption("exa-research-fast");
          await inquiry.getByRole("button", { name: "Begin the research" }).click();
          await inquiry.getByRole("tab", { name: "Steps" }).click();
          await inquiry.getByRole("list", { name: "Steps" }).getByText("Plan 1").waitFor();
          researchId = new URL(inquiry.url()).pathname.split("/").at(-1) ?? "";
          const { id } = await make<{ id: string }>("/websets/v0/webhooks", {
            url: address,
            events: ["webset.created"],
          });
          await make("/websets/v0/websets", { search: { query: "companies that bake cake", count: 1 } });
          await open(hook, `/webhooks/${id}`);
          const delivery = hook
            .getByRole("region", { name: "Delivery log" })
            .getByRole("row", { name: /webset\.created/ });
          await delivery.getByText("dead").waitFor();
          await open(inbox, "/approvals");
          const sessionId = await makeSession();
          const calls = [search("granite", "c1", sessionId), search("slate", "c2", sessionId)];
          const ends = Promise.allSettled(calls);
          const question = (words: string) => inbox.getByRole("article").filter({ hasText: `"${words}"` });
          await question("granite").waitFor();
          await question("slate").waitFor();

          await Promise.all(pages.map((page) => page.reload()));
          await grid
            .getByRole("button", { name: /^makes electric cargo bikes of \w+: yes$/ })
            .first()
            .waitFor();
          await inquiry.getByRole("list", { name: "Steps" }).getByText("Plan 1").waitFor();
          await delivery.getByText("dead").waitFor();
          await question("granite").waitFor();
          await world.kill();
          expect((await ends).map((end) => end.status)).toEqual(["rejected", "rejected"]);
          for (const page of pages) await page.getByText("The server does not answer").first().waitFor();
          expect(await grid.getByRole("rowheader").count()).toBeGreaterThan(0); // what was there stays
          await world.restart();
          await Promise.all(
            pages.map((page) => page.getByText("What you see is as old as that").waitFor({ state: "detached" })),
          );

          // The same calls asked again are the same calls: the questions wait as they did.
          const again = [search("granite", "c1", sessionId), search("slate", "c2", sessionId)];
          await question("slate").getByLabel("Reason", { exact: true }).fill("look at home");
          expect(await inbox.getByRole("article").count()).toBe(2);
          await question("granite").getByRole("button", { name: "Once" }).click();
          await question("granite").waitFor({ state: "detached" });
          await question("slate").getByLabel("Reason", { exact: true }).fill("look at home");
          await question("slate").getByRole("button", { name: "Reject", exact: true }).click();
          const [approved, rejected] = await Promise.all(again);
          expect(approved).toContain("How granite is cut");
          expect(rejected).toContain("look at home");

          status = 200;
          await delivery.getByRole("button", { name: /^Replay/ }).click();
          await delivery.getByText("delivered").waitFor();
          expect(await checkPage(hook)).toEqual([]);
          await takeWishedScreenshot(hook, "webhook-light");

          world.models.open();
          await inquiry.getByText("completed", { exact: true }).waitFor({ timeout: MINUTE_MS });
          await inquiry.getByRole("list", { name: "Steps" }).getByText("Where does marble come from").first().waitFor();
          expect(await checkPage(inquiry)).toEqual([]);
          await takeWishedScreenshot(inquiry, "research-steps-light");
          await inquiry.getByRole("tab", { name: "Report" }).click();
          const report = inquiry.getByRole("region", { name: "Report" });
          await report
            .getByRole("button", { name: /^Source \d/ })
            .first()
            .hover();
          await report.getByRole("tooltip").first().waitFor();
          expect(await checkPage(inquiry)).toEqual([]);
          await takeWishedScreenshot(inquiry, "research-report-light");
          for (const [number, title] of [
            ["1", /How granite is cut/],
            ["2", "Where marble comes from"],
            ["3", "How slate is split"],
          ] as const) {
            await report
              .getByRole("button", { name: `Source ${number}`, exact: true })
              .first()
              .click();
            const stored = inquiry.getByRole("dialog", { name: title });
            await stored.locator("mark").first().waitFor();
            await inquiry.keyboard.press("Escape");
            await stored.waitFor({ state: "detached" });
          }

          const year = grid.getByRole("button", { name: /of Alpenrad: .*2015/ });
          await year.waitFor({ timeout: MINUTE_MS });
          await grid.getByRole("columnheader", { name: /makes electric cargo bikes \d+ %/ }).waitFor();
          await list.getByText("idle", { exact: true }).waitFor({ timeout: MINUTE_MS });
          expect((await grid.getByRole("rowheader").allTextContents()).sort()).toEqual([
            "Alpenrad",
            "Bergwerk",
            "Citylast",
          ]);
          expect(await checkPage(list)).toEqual([]);
          await takeWishedScreenshot(list, "webset-grid-light");
          await year.click();
          const cell = list.getByRole("dialog", { name: /^Alpenrad: / });
          await cell.getByLabel("Put it right").fill("2016");
          await cell.getByLabel("Note").fill("says the register");
          await cell.getByRole("button", { name: "Save" }).click();
          await cell.getByRole("list", { name: "History" }).getByText("says the register").waitFor();
          await list.keyboard.press("Escape");
          await grid.getByRole("button", { name: /of Alpenrad: 2016/ }).waitFor();
          expect(await exportAsCsv(list)).toContain("2016");
          // Only the browser's own words about connections that were refused while nobody was there.
          expect(complaints.filter((one) => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(one))).toEqual([]);
        });
      } finally {
        await close(receiver);
      }
    },
    4 * MINUTE_MS,
  );

  verifies(
    [
      "console:research:report",
      "console:research:budget-and-cancel",
      "console:research:download",
      "console:research:sources",
      "console:research:steer",
    ],
    "follows a research through a dropped connection, keeps its report, tells sources that are used, unused and in conflict, and cancels",
    () =>
      withPage(async ({ page, complaints }) => {
        await open(page, `/research/${researchId}`);
        await page.getByRole("progressbar", { name: "Budget used" }).waitFor();
        const keep = async (name: string): Promise<string> => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name, exact: true }).click(),
          ]);
          return readFileSync(await download.path(), "utf8");
        };
        expect(await keep("Markdown")).toMatch(/^# How is granite cut/);
        const html = await keep("HTML");
        expect(html).toContain("<h1>How is granite cut");
        expect(html).not.toContain("<img");
        expect(JSON.parse(await keep("JSON"))).toMatchObject({ status: "completed", model: "exa-research-fast" });

        world.models.script(scriptConflict);
        let streams = 0;
        await page.route("**/research/v1/*?stream=true", (route) => {
          streams += 1;
          return streams === 1 ? route.abort() : route.continue();
        });
        const disputed = await make<{ researchId: string }>("/research/v1", {
          instructions: CONFLICT,
          model: "exa-research-fast",
        });
        world.models.shut();
        await open(page, `/research/${disputed.researchId}?view=sources`);
        await page.getByText("live", { exact: true }).waitFor(); // the second connection
        world.models.open();
        await page.getByText("completed", { exact: true }).waitFor({ timeout: MINUTE_MS });
        world.models.script(undefined);
        const sources = page.getByRole("region", { name: "Sources", exact: true });
        const row = (url: string) => sources.getByRole("row").filter({ hasText: url });
        await sources.getByText("conflicting").nth(1).waitFor();
        expect(await sources.getByText("conflicting").count()).toBe(2);
        await row("Where marble comes from")
          .getByText(/but: Slate is split by hand/)
          .waitFor();
        await sources.getByText("used", { exact: true }).first().waitFor();
        await sources
          .getByText(/, not (used|read)$/)
          .first()
          .waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "research-sources-light");
        expect(streams).toBeGreaterThan(1);

        world.models.shut((asked) => asked.includes("You take notes"));
        const steered = await make<{ researchId: string }>("/research/v1", {
          instructions: "How is granite cut?",
          model: "exa-research-fast",
        });
        await open(page, `/research/${steered.researchId}?view=steps`);
        const steps = page.getByRole("list", { name: "Steps" });
        await steps.getByText("How is granite cut?").first().waitFor();
        await page.getByLabel("Something else to find out").fill("How is slate split?");
        await page.getByRole("button", { name: "Add it" }).click();
        await page.getByText("The run knows of it").waitFor();
        world.models.open();
        await steps.getByText("How is slate split?").first().waitFor();
        await page.getByText("completed", { exact: true }).waitFor({ timeout: MINUTE_MS });
        await page.getByRole("tab", { name: "Report" }).click();
        await page
          .getByRole("region", { name: "Report" })
          .locator("p", { hasText: "Slate is split by hand" })
          .first()
          .waitFor();

        world.models.shut();
        const canceled = await make<{ researchId: string }>("/research/v1", { instructions: "What is slate?" });
        await open(page, `/research/${canceled.researchId}`);
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByText("canceled", { exact: true }).waitFor();
        world.models.open();
        await open(page, "/research");
        await page.getByRole("cell", { name: "What is slate?" }).waitFor();
        expect(complaints.filter((one) => !one.includes("ERR_FAILED"))).toEqual([]); // the dropped connection
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:answer:streams", "console:answer:citations"],
    "writes an answer beside the results, with the quote of each sentence on hover and its stored page on click",
    () =>
      withPage(async ({ page, complaints }) => {
        await open(page, "/?q=how+is+granite+cut");
        await page.getByRole("article").first().waitFor();
        world.models.shut();
        await page.getByText("answer", { exact: true }).click();
        const answer = page.getByRole("region", { name: "Answer" });
        await answer.getByText("Granite is quarried with diamond wire").first().waitFor();
        await answer.getByText("writing", { exact: true }).waitFor();
        expect(await answer.getByRole("button", { name: "Source 1" }).count()).toBe(1); // the second is not written yet
        world.models.open();
        await answer.getByText("by the language model").waitFor();
        expect(await answer.getByRole("button", { name: "Source 1" }).count()).toBe(2);
        await page.getByRole("article").first().waitFor();
        const mark = answer.getByRole("button", { name: "Source 1" }).first();
        await mark.hover();
        await answer.getByRole("tooltip").filter({ hasText: "wire" }).first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "answer-light");
        await mark.click();
        const stored = page.getByRole("dialog", { name: /How granite is cut/ });
        await stored.locator("mark", { hasText: "wire" }).first().waitFor();
        await page.reload();
        await stored.locator("mark", { hasText: "wire" }).first().waitFor();
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    [
      "console:approvals:inbox",
      "console:approvals:answers",
      "console:approvals:rules-simulator",
      "console:audit:chain-check",
    ],
    "shows who asks for what, with the diff and the risk; answers once, edited, rejected, several, for the session and always",
    () =>
      withPage(async ({ page, complaints }) => {
        await clear("/quarry/v1/tool-rules");
        await rejectWaiting();
        const sessionId = await makeSession();
        const otherSession = await makeSession();
        await open(page, "/approvals");
        await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
        const edited = search("granite", "c1", sessionId);
        const question = page.getByRole("article").first();
        await question.getByText('"granite"').waitFor(); // by itself
        await page.reload();
        await question.getByRole("button", { name: "Edit the arguments" }).click();
        const args = question.getByLabel("Arguments as JSON");
        await args.fill("{");
        await question.getByText("not a JSON object").waitFor();
        await args.fill(JSON.stringify({ query: "marble", type: "keyword" }));
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "approvals-light");
        await question.getByRole("button", { name: "Once" }).click();
        expect(await edited).toContain("Where marble comes from");

        const rejected = search("slate", "c2", sessionId);
        await question.getByLabel("Reason", { exact: true }).fill("look at home");
        await question.getByRole("button", { name: "Reject", exact: true }).click();
        expect(await rejected).toContain("look at home");

        const several = [search("slate", "c3", sessionId), search("granite", "c4", sessionId)];
        await expect.poll(() => page.getByRole("article").count(), { timeout: 10_000 }).toBe(2);
        await page.getByLabel("All 2").check();
        await page.getByRole("button", { name: "Approve chosen once" }).click();
        expect((await Promise.all(several)).join()).toContain("How slate is split");

        const session = search("marble", "c5", sessionId);
        await question.getByRole("button", { name: "For the session" }).click();
        await session;
        expect(await search("marble", "c6", sessionId)).toContain("Where marble comes from"); // not asked again

        const always = search("marble", "c7", otherSession);
        await question.getByRole("button", { name: "Always" }).click();
        await always;
        expect(await search("slate", "c8", otherSession)).toContain("How slate is split");

        mkdirSync(path.join(workspace, "notes"), { recursive: true });
        writeFileSync(path.join(workspace, "notes", "stones.md"), "granite\nmarble\n");
        const { key } = await make<{ key: string }>("/quarry/v1/keys", {
          name: "a coding agent",
          scopes: ["tools"],
        });
        const callTool = (tool: string, args: object) =>
          fetch(`${server().url}/quarry/v1/tools/${tool}/calls?sessionId=${sessionId}`, {
            method: "POST",
            headers: { "x-api-key": key, "content-type": "application/json" },
            body: JSON.stringify(args),
          });
        const edit = callTool("edit_file_v2", {
          relativeWorkspacePath: "notes/stones.md",
          contentsAfterEdit: `granite\nslate ${PAYLOAD}\n`,
        });
        const diff = question.getByRole("region", { name: "Diff" });
        await diff.getByText("-marble").waitFor();
        await diff.getByText(`+slate ${PAYLOAD}`).waitFor();
        const facts = question.locator("dl.facts");
        await facts.getByText("a coding agent").waitFor();
        await facts.getByText(sessionId).waitFor();
        await facts.getByText("notes/stones.md").waitFor();
        await question.getByText(/ risk$/).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "approvals-diff-light");
        await question.getByRole("button", { name: "Once" }).click();
        expect((await edit).status).toBe(200);
        expect(readFileSync(path.join(workspace, "notes", "stones.md"), "utf8")).toContain("slate");
        const fetched = callTool("exa_fetch", { ids: [`${site.url}/slate`] });
        await facts.getByText("127.0.0.1").waitFor(); // where it goes
        await question.getByRole("button", { name: "Once" }).click();
        expect((await fetched).status).toBe(200);

        await page.getByRole("tab", { name: "Answered" }).click();
        await page.getByRole("cell", { name: "look at home" }).first().waitFor();
        await page.getByRole("tab", { name: "Rules" }).click();
        const rules = page.getByRole("region", { name: "Saved rules" });
        await page.getByRole("button", { name: /^Try \d+ calls$/ }).click();
        const trials = page.getByRole("region", { name: "What policy would say" });
        await trials.getByText("allow", { exact: true }).first().waitFor();
        await rules
          .getByRole("button", { name: /^Forget tools/ })
          .first()
          .click();
        await page.getByText("No rule has been saved").waitFor();
        await page.getByRole("button", { name: "Add the rule" }).click();
        await page.getByRole("alert").getByText("would allow every call").waitFor();
        await page.getByRole("button", { name: /^Try \d+ calls$/ }).click();
        await trials.getByText("ask", { exact: true }).first().waitFor();
        await page.getByLabel("Tools", { exact: true }).fill("exa_*");
        await page.getByRole("button", { name: "Add the rule" }).click();
        await rules.getByText("tools: exa_*").waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "rules-light");
        await page.getByRole("tab", { name: "Audit log" }).click();
        await page.getByRole("button", { name: "Check the chain" }).click();
        await page.getByText(/The chain holds: \d+ entries/).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "audit-light");
        await page.route("**/quarry/v1/audit?**", async (route) => {
          const response = await route.fetch();
          const text = (await response.text()).replace("exa_search", "exa_fetch");
          await route.fulfill({ response, body: text });
        });
        await page.getByRole("button", { name: "Check the chain" }).click();
        await page.getByText(/Entry \d+ is changed/).waitFor();
        expect(complaints.filter((one) => !one.includes("400"))).toEqual([]); // the browser logs the refused rule
      }),
    2 * MINUTE_MS,
  );

  verifies(
    "console:sessions:live",
    "shows the todos and the terminals of a session as they change, and ends a terminal",
    () =>
      withPage(async ({ page, complaints }) => {
        rmSync(path.join(workspace, "go"), { force: true });
        await make("/quarry/v1/tool-rules", { match: { tools: ["run_terminal_command_v2", "todo_write"] } });
        const sessionId = await makeSession();
        const callTool = (tool: string, args: object) =>
          make(`/quarry/v1/tools/${tool}/calls?sessionId=${sessionId}`, args);
        const todo = (status: string) => ({
          todos: [{ id: "1", content: `Read the page ${PAYLOAD}`, status }],
          merge: false,
        });
        await callTool("todo_write", todo("in_progress"));
        await open(page, "/approvals?view=sessions");
        await page.getByRole("link", { name: sessionId }).click();
        const todos = page.getByRole("list", { name: "Todos" });
        await todos.getByText("in progress").waitFor();
        await todos.getByText(`Read the page ${PAYLOAD}`).waitFor();
        const command = "echo begun; while [ ! -e go ]; do sleep 0.1; done; echo went on; sleep 300";
        await callTool("run_terminal_command_v2", { command, cwd: workspace, options: {}, isBackground: true });
        await callTool("todo_write", todo("completed"));
        await todos.getByText("completed").waitFor();
        const terminal = page.getByRole("region", { name: /^Terminal: echo begun/ });
        await terminal.getByText("running", { exact: true }).waitFor();
        await terminal
          .locator("pre")
          .getByText(/begun$/)
          .waitFor();
        await page.reload();
        writeFileSync(path.join(workspace, "go"), "");
        await terminal
          .locator("pre")
          .getByText(/begun\nwent on$/)
          .waitFor(); // by itself
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "session-light");
        await terminal.getByRole("button", { name: "End it" }).click();
        await terminal.getByText("stopped", { exact: true }).waitFor();
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    [
      "console:websets:filter-sort-group",
      "console:websets:run-choices",
      "console:websets:keyboard",
      "console:websets:events",
      "console:websets:cell-drawer",
    ],
    "arranges the grid, fills cells again, moves by keys, and opens a cell with its reasons, quotes, attempts, cost and history",
    () =>
      withPage(async ({ page, complaints }) => {
        await open(page, `/websets/${websetId}`);
        const grid = page.getByRole("grid", { name: "Items" });
        const verdict = grid.getByRole("button", { name: "makes electric cargo bikes of Alpenrad: yes" });
        await verdict.focus();
        const focused = await page.evaluate<string>(
          `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
          document.activeElement.getAttribute("aria-label")`,
        );
        expect(focused).toContain("of Alpenrad: 2016"); // before anything is drawn: the next key may come at once
        await page.keyboard.press("Enter");
        const cell = page.getByRole("dialog", { name: /^Alpenrad: / });
        await cell.getByRole("list", { name: "History" }).getByText("says the register").waitFor();
        const attempts = cell.getByRole("region", { name: "Attempts" });
        await attempts.getByText(/: filled$/).waitFor();
        expect(await attempts.locator("dd").allTextContents()).toEqual([
          expect.stringMatching(/^\d+$/), // tries: a worker was killed
          expect.stringMatching(/^[1-9]/),
          expect.stringMatching(/^\d/),
          expect.stringMatching(/^\$0\.\d*[1-9]/),
        ]);
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "webset-cell-light");
        await page.keyboard.press("Escape");
        const changed = grid.getByRole("button", { name: /of Alpenrad: 2016/ });
        await changed.focus();
        await page.keyboard.press("e");
        await page.getByLabel("Put it right").fill("2017");
        await page.keyboard.press("Enter");
        await cell.getByRole("list", { name: "History" }).getByText("2017").waitFor();
        await page.keyboard.press("Escape");
        await grid.getByRole("button", { name: /of Alpenrad: 2017/ }).focus();
        await page.keyboard.press("u");
        await changed.waitFor();

        const names = (): Promise<string[]> => grid.getByRole("rowheader").allTextContents();
        await page.getByLabel("Sort").selectOption("name");
        await expect.poll(names, { timeout: 20_000 }).toEqual(["Alpenrad", "Bergwerk", "Citylast"]);
        await page.getByRole("button", { name: "Turn the order" }).click();
        await expect.poll(names, { timeout: 20_000 }).toEqual(["Citylast", "Bergwerk", "Alpenrad"]);
        await page.getByLabel("Group").selectOption({ index: 2 });
        const grouped = ["20111", "Bergwerk", "20161", "Alpenrad", "20191", "Citylast"]; // a value and how many have it
        await expect.poll(names, { timeout: 20_000 }).toEqual(grouped);
        await page.reload();
        await expect.poll(names, { timeout: 20_000 }).toEqual(grouped);
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "webset-grouped-light");
        await page.getByLabel("Show").selectOption("by-hand");
        await expect.poll(names, { timeout: 20_000 }).toEqual(["20161", "Alpenrad"]);
        await page.getByLabel("Group").selectOption("");
        await page.getByLabel("Show").selectOption("all");
        await page.getByRole("button", { name: /^Fill In which year .* again$/ }).click();
        await page.getByRole("button", { name: "Only empty ones" }).click();
        await page.getByText("No cell is like that").waitFor();
        await page.getByRole("button", { name: /^Fill In which year .* again$/ }).click();
        await page.getByRole("button", { name: "The first ten" }).click();
        await page.getByText("2 cells are filled again").waitFor(); // the third is a person's
        const status = async () => (await read<Webset>(`/websets/v0/websets/${websetId}`)).status;
        await expect.poll(status, { timeout: MINUTE_MS }).toBe("idle");
        await page.reload(); // without the messages
        await grid.getByRole("button", { name: /of Bergwerk: 2011/ }).focus();
        await page.keyboard.press("r");
        await page.getByText("1 cell is filled again").waitFor();
        await grid.getByRole("button", { name: /of Bergwerk: 2011/ }).click();
        await page
          .getByRole("region", { name: "Attempts" })
          .getByText(/^Cost in all/)
          .waitFor(); // filled more than once
        await page.keyboard.press("Escape");
        await page.getByRole("tab", { name: "Events" }).click();
        await page.getByRole("list", { name: "What happened" }).getByText("Bergwerk").first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeWishedScreenshot(page, "webset-events-light");
        await page.getByRole("tab", { name: "Items" }).click();
        await verdict.click();
        await page
          .getByRole("region", { name: "Value" })
          .getByText(/cargo bikes/i)
          .first()
          .waitFor(); // the reasoning
        await attempts.getByText(/: judged$/).waitFor();
        expect(await attempts.locator("dd").allTextContents()).toEqual([
          expect.stringMatching(/^[1-9]/),
          expect.stringMatching(/^[1-9]/),
          expect.stringMatching(/^\d/),
          expect.stringMatching(/^\$0\.\d*[1-9]/),
        ]);
        await page.getByRole("region", { name: "Quotes" }).getByRole("button").first().click();
        await page.getByRole("dialog", { name: "Alpenrad", exact: true }).locator("mark").first().waitFor();
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:websets:pause-cancel", "console:websets:progress"],
    "shows how far a webset is, the time left and the recall; lets it rest, go on and end",
    () =>
      withPage(
        async ({ page, complaints }) => {
          await open(page, `/websets/${websetId}`);
          const recall = page.getByRole("meter", { name: "Recall" });
          expect(await recall.getAttribute("aria-valuetext")).toMatch(/^3 of about \d+$/);
          expect(Number(await recall.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
          await takeWishedScreenshot(page, "webset-recall-dark");

          const bar = page.getByRole("progressbar", { name: "Searched" });
          expect(await bar.getAttribute("aria-valuenow")).toBe("100");
          world.models.shut((asked) => HELD.test(asked));
          const criteria = [{ description: "makes electric cargo bikes" }];
          const entity = { type: "company" };
          const made = await make<Webset>("/websets/v0/websets", {
            search: { query: "companies with bikes or bread", count: 5, entity, criteria, recall: true },
          });
          await open(page, `/websets/${made.id}`);
          await page.getByText("running", { exact: true }).waitFor();
          await page.getByText(/^about /).waitFor(); // the time left, once three are judged
          expect(Number(await bar.getAttribute("aria-valuenow"))).toBeLessThan(100);
          expect(await checkPage(page)).toEqual([]);
          await takeWishedScreenshot(page, "webset-running-dark");
          await page.getByRole("button", { name: "Pause" }).click();
          await page.getByText("paused", { exact: true }).waitFor();
          await page.reload();
          await page.getByText("paused", { exact: true }).waitFor();
          await page.getByRole("button", { name: "Resume" }).click();
          await page.getByText("running", { exact: true }).waitFor();
          await page.getByRole("button", { name: "Cancel" }).click();
          await page.getByText("idle", { exact: true }).waitFor();
          const { searches } = await read<Webset>(`/websets/v0/websets/${made.id}`);
          expect(searches.map((one) => one.status)).toEqual(["canceled"]);
          world.models.open();
          expect(complaints).toEqual([]);
        },
        { theme: "dark" },
      ),
    2 * MINUTE_MS,
  );

  verifies(
    "console:websets:import-export",
    "imports a CSV file whose columns are mapped by hand, refuses one without rows, and exports what came of it",
    () =>
      withPage(
        async ({ page, complaints }) => {
          await open(page, "/websets?dialog=import");
          const file = page.getByLabel("CSV file");
          const choose = (name: string, text: string): Promise<void> =>
            file.setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
          await choose("empty.csv", "only;headings\n");
          await page.getByRole("alert").getByText("rows below it").waitFor();
          const rows = `Firma;Ort;Seite;Intern\n"Alpenrad ${PAYLOAD.replaceAll('"', '""')}";Graz;https://alpenrad.example/;x\nBergwerk;Essen;https://bergwerk.example/;y\n`;
          await choose("bikes.csv", rows);
          await page.getByText("2 rows", { exact: true }).waitFor();
          expect(await page.getByLabel("What Seite is").inputValue()).toBe("url"); // guessed
          await page.getByLabel("What Seite is").selectOption("leave");
          await page.getByText("Say which column holds the name").waitFor();
          await page.getByLabel("What Firma is").selectOption("name");
          await page.getByLabel("What Seite is").selectOption("url");
          await page.getByLabel("What Intern is").selectOption("leave");
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
          expect(await checkPage(page)).toEqual([]);
          await takeWishedScreenshot(page, "webset-import-360");
          await page.getByRole("button", { name: "Import the rows" }).click();
          const grid = page.getByRole("grid", { name: "Items" });
          await grid.getByRole("rowheader", { name: /^Alpenrad/ }).waitFor();
          await grid.getByRole("rowheader", { name: "Bergwerk" }).waitFor();
          await page.getByRole("heading", { level: 1, name: "bikes" }).waitFor();
          await page.getByText("idle", { exact: true }).waitFor();
          const csv = await exportAsCsv(page);
          expect(csv).toContain("Bergwerk");
          expect(csv).toContain("bergwerk.example");
          expect(csv.trim().split("\n")).toHaveLength(3);
          expect(complaints).toEqual([]);
        },
        { width: 360 },
      ),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:websets:grid-virtualised"],
    "keeps only the rows in sight of a long webset, and its first column in place",
    () =>
      withPage(
        async ({ page, complaints }) => {
          await page.route("**/items?**", (route) => {
            const data = Array.from({ length: 1_000 }, (_, index) => ({
              id: `item_${index}`,
              properties: {
                type: "company",
                url: `https://c${index}.example/`,
                description: "",
                company: { name: `Company ${index} ${PAYLOAD}` },
              },
              evaluations: [],
              enrichments: [],
            }));
            return route.fulfill({ json: { data, hasMore: false, nextCursor: null } });
          });
          await open(page, `/websets/${websetId}`);
          const grid = page.getByRole("grid", { name: "Items" });
          await grid.getByRole("rowheader", { name: /^Company 0 / }).waitFor();
          expect(await grid.getAttribute("aria-rowcount")).toBe("1001");
          expect(await grid.getByRole("row").count()).toBeLessThan(60);
          await page.evaluate("document.querySelector('[role=grid]').scrollTo(150, 20000)");
          const header = grid.getByRole("rowheader", { name: /^Company 50[0-9] / }).first();
          await header.waitFor();
          const [left, gridLeft] = await Promise.all([header.boundingBox(), grid.boundingBox()]);
          expect(await page.evaluate("document.querySelector('[role=grid]').scrollLeft")).toBeGreaterThan(0);
          expect(Math.abs((left?.x ?? -1) - (gridLeft?.x ?? 0))).toBeLessThan(3);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
          expect(complaints).toEqual([]);
        },
        { width: 360 },
      ),
    2 * MINUTE_MS,
  );

  verifies(
    "console:grid:200-updates",
    "scrolls 50,000 rows of 12 columns while 200 cells a second change, without a task over 100 ms",
    () =>
      withPage(async ({ page, complaints }) => {
        await serveLongWebset(page, websetId);
        await open(page, `/websets/${websetId}`);
        const grid = page.getByRole("grid", { name: "Items" });
        await expect
          .poll(
            async () => {
              await page.evaluate(
                "{ const grid = document.querySelector('[role=grid]'); grid?.scrollTo(0, grid.scrollHeight); }",
              );
              return grid.getAttribute("aria-rowcount");
            },
            { timeout: MINUTE_MS, interval: 20 },
          )
          .toBe("50001");
        expect(await grid.getAttribute("aria-colcount")).toBe("13");
        // What the page itself does too long it does every time; the best of some runs leaves out what only happened beside it.
        let longestMs = Number.POSITIVE_INFINITY;
        for (let time = 0; time < 3 && longestMs > 100; time += 1) {
          const ofRun = await measureLongestTaskMs(page, async () => {
            const { updates, seconds } = await page.evaluate<{ updates: number; seconds: number }>(SCROLL);
            expect(updates / seconds).toBeGreaterThan(150);
          });
          longestMs = Math.min(longestMs, ofRun);
        }
        expect(longestMs).toBeLessThanOrEqual(100);
        expect(await grid.getByRole("row").count()).toBeLessThan(80);
        await grid
          .getByRole("button", { name: /: update \d+$/ })
          .first()
          .waitFor(); // they are in the grid
        await takeWishedScreenshot(page, "webset-50k-light");
        await page.unrouteAll({ behavior: "ignoreErrors" });
        expect(complaints).toEqual([]);
      }),
    3 * MINUTE_MS,
  );

  verifies(
    "console:monitors:calendar",
    "shows past and next runs in a calendar, watches a page, and tells what changed with its diff",
    () => {
      let price = 10;
      return withSite(
        (address) =>
          address === "/price"
            ? `<!doctype html><html lang="en"><title>Prices ${PAYLOAD.replaceAll("<", "&lt;")}</title><main><h1>Prices</h1><p>A cargo bike costs ${price} coins at our shop in the city.</p><p>We are open from nine to five on every day but Sunday.</p></main></html>`
            : undefined,
        (shop) =>
          withPage(async ({ page, complaints }) => {
            await clear("/websets/v0/monitors");
            await clear("/quarry/v1/page-monitors");
            await open(page, "/monitors");
            await page.getByRole("heading", { name: "No webset is kept up to date" }).waitFor();
            await page.getByRole("button", { name: "New monitor" }).first().click();
            await page.getByLabel("Webset").selectOption({ label: "Companies that make electric cargo bikes" });
            await page.getByLabel("Time").fill("05:30");
            expect(await checkPage(page)).toEqual([]);
            await page.getByRole("button", { name: "Make the monitor" }).click();
            const calendar = page.getByRole("list", { name: "Runs, past and to come" });
            await calendar
              .getByRole("link", { name: /Companies that make .*: to come$/ })
              .nth(6)
              .waitFor();
            await page.getByRole("button", { name: /^Run now: Companies that make/ }).click();
            const today = calendar.locator("[aria-current=date]");
            await today
              .getByRole("link", { name: /Companies that make .*: completed$/ })
              .waitFor({ timeout: MINUTE_MS });

            await page.getByLabel("Page to watch").fill(`${shop.url}/price`);
            await page.getByRole("button", { name: "Watch the page" }).click();
            const row = page.getByRole("region", { name: "Watched pages" }).getByRole("row", { name: /\/price/ });
            const looks = async (): Promise<string[]> => (await row.getByRole("cell").allTextContents()).slice(2, 4);
            await expect.poll(looks, { timeout: MINUTE_MS }).toEqual(["1", "0"]);
            price = 12;
            await row.getByRole("button", { name: /^Look now/ }).click();
            await expect.poll(looks, { timeout: MINUTE_MS }).toEqual(["2", "1"]);
            await page.reload();
            const feed = page.getByRole("region", { name: "What changed" });
            await feed.getByText(/\/price changed: 1 lines came, 1 went/).waitFor();
            const diff = feed.getByRole("region", { name: /^Diff of/ });
            await diff.getByText("-A cargo bike costs 10 coins").waitFor();
            await diff.getByText("+A cargo bike costs 12 coins").waitFor();
            await feed
              .getByText(/^Alpenrad came into/)
              .first()
              .waitFor();
            expect(await checkPage(page)).toEqual([]);
            await takeWishedScreenshot(page, "monitors-used-light");
            expect(complaints).toEqual([]);
          }),
      );
    },
    2 * MINUTE_MS,
  );

  verifies(
    ["console:webhooks:endpoints", "console:webhooks:delivery-log", "console:webhooks:replay-and-test"],
    "makes a webhook, sends a test, rotates its secret, and replays a delivery that failed",
    async () => {
      let status = 410; // the receiver is gone: given up at once
      let requests = 0;
      const receiver = createServer((request, response) => {
        requests += 1;
        request.resume();
        response.writeHead(status).end(`the receiver says ${status}`);
      });
      const address = await listen(receiver);
      try {
        await withPage(async ({ page, complaints }) => {
          await open(page, "/webhooks");
          await page.getByRole("button", { name: "New webhook" }).first().click();
          await page.getByLabel("Address").fill(address);
          await page.getByLabel("webset.created").check();
          expect(await checkPage(page)).toEqual([]);
          await page.getByRole("button", { name: "Make the webhook" }).click();
          const secret = page.getByRole("dialog").locator("code");
          const first = await secret.textContent();
          await page.getByRole("button", { name: "I have it" }).click();
          await page.getByRole("link", { name: address }).click();
          await page.getByRole("button", { name: "Rotate the secret" }).click();
          await secret.waitFor();
          expect(await secret.textContent()).not.toBe(first);
          await page.getByRole("button", { name: "I have it" }).click();
          await page.getByRole("button", { name: "Send a test event" }).click();
          await page.getByText(/^status 410 after \d/).waitFor();
          await page.getByRole("button", { name: "Close message" }).click();

          const search = { query: "companies that bake cake", count: 1 };
          await make("/websets/v0/websets", { search });
          const deliveries = page.getByRole("region", { name: "Delivery log" });
          const row = deliveries.getByRole("row", { name: /webset\.created/ });
          await row.getByText("dead").waitFor();
          await page
            .getByRole("region", { name: /^Attempts/ })
            .getByText("the receiver says 410")
            .first()
            .waitFor();
          status = 200;
          await row.getByRole("button", { name: /^Replay/ }).click();
          await row.getByText("delivered").waitFor();
          const before = requests;
          await row.getByRole("button", { name: /^Replay/ }).click();
          await expect.poll(() => requests, { timeout: 20_000 }).toBeGreaterThan(before);
          await row.getByText("delivered").waitFor();
          await page
            .getByRole("region", { name: /^Attempts/ })
            .getByText("status 200")
            .first()
            .waitFor();
          expect(complaints).toEqual([]);
        });
      } finally {
        await close(receiver);
      }
    },
    2 * MINUTE_MS,
  );
});

async function listen(receiver: Server): Promise<string> {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
}

async function close(receiver: Server): Promise<void> {
  receiver.closeAllConnections();
  await new Promise((closed) => receiver.close(closed));
}

async function withSite(pages: Parameters<typeof startMiniWeb>[0], work: (site: MiniWeb) => Promise<void>) {
  const site = await startMiniWeb(pages);
  try {
    await work(site);
  } finally {
    await site.close();
  }
}

/** Exports the webset that is open and reads the file. */
async function exportAsCsv(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("button", { name: "CSV" }).click();
  const link = page.getByRole("link", { name: "Download CSV" });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  return readFileSync(await download.path(), "utf8");
}

const CONFLICT = "Is marble older than slate, and how is granite cut?";

/** What a model says that finds two claims in conflict: one of the page on marble, one of the page on slate. */
function scriptConflict(asked: string): object | undefined {
  if (asked.includes("You plan research")) {
    const tasks = ["Where does marble come from?", "How is slate split?", "How is granite cut?"];
    return asked.includes("Known so far:\\nnothing")
      ? { reasoning: "Three parts.", tasks }
      : { reasoning: "Enough.", tasks: [] };
  }
  if (asked.includes("You write a report")) {
    const claims = [...asked.matchAll(/(\d+)\. ([^\\]+)/g)];
    const numberOf = (words: string): number => Number(claims.find(([, , text]) => text?.includes(words))?.[1]);
    const [marble, slate, granite] = [numberOf("Carrara"), numberOf("split by hand"), numberOf("diamond wire")];
    const report = `Marble comes from Carrara [${marble}]. Slate is split by hand [${slate}]. Granite is quarried with diamond wire [${granite}].`;
    return { report, contradictions: [[marble, slate]] };
  }
  return undefined;
}

/** Makes the webset seem to have 50,000 items and 12 columns, and its events bring 200 changed cells a second. */
async function serveLongWebset(page: Page, id: string): Promise<void> {
  const rows = 50_000;
  const rowsAtOnce = 5_000;
  const columns = Array.from({ length: 12 }, (_, index) => `column_${index}`);
  await page.route(`**/websets/v0/websets/${id}`, async (route) => {
    const response = await route.fetch();
    const webset = (await response.json()) as Webset;
    const enrichments = columns.map((column) => ({
      id: column,
      status: "pending",
      title: column,
      description: column,
      format: "text",
    }));
    await route.fulfill({ response, json: { ...webset, status: "running", searches: [], enrichments } });
  });
  // Items and a stream that lasts: the browser's own fetch brings them. A hundred megabytes on the way from here would take
  // most of a minute, and the route above could not stream.
  await page.addInitScript(`{
    const fetchAsBefore = window.fetch;
    const columns = ${JSON.stringify(columns)};
    const itemOf = (row, change) => ({
      id: "item_" + row,
      properties: {
        type: "company",
        url: "https://c" + row + ".example/",
        description: "",
        company: { name: "Company " + row },
      },
      evaluations: [],
      enrichments: columns.map((column) => ({
        enrichmentId: column,
        status: "completed",
        result: [change?.column === column ? change.text : (row % 97) + " of " + column],
        reasoning: null,
        references: [{ url: "https://a.example/", title: null, snippet: null }],
      })),
    });
    const pageFrom = (from) => {
      const next = from + ${rowsAtOnce} < ${rows} ? String(from + ${rowsAtOnce}) : null;
      const data = Array.from({ length: ${rowsAtOnce} }, (_, index) => itemOf(from + index));
      const reply = { data, hasMore: next !== null, nextCursor: next };
      return Object.assign(new Response(), { json: () => Promise.resolve(reply) });
    };
    window.updatesSent = 0;
    window.fetch = (input, wish) => {
      const address = new URL(String(input), location.href);
      if (address.pathname.endsWith("/websets/${id}/items")) {
        return Promise.resolve(pageFrom(Number(address.searchParams.get("cursor") ?? "0")));
      }
      if (!address.pathname.endsWith("/events/stream")) return fetchAsBefore(input, wish);
      const encoder = new TextEncoder();
      const body = new ReadableStream({
        start(controller) {
          const began = performance.now() - window.updatesSent * 5;
          const timer = setInterval(() => {
            // As many as are due: the timer may come late.
            while (window.updatesSent < (performance.now() - began) / 5) {
              window.updatesSent += 1;
              const row = (window.updatesSent * 7919) % ${rows};
              const data = itemOf(row, { column: "column_3", text: "update " + window.updatesSent });
              const text = JSON.stringify({ resource: { kind: "webset", id: "${id}" }, data });
              controller.enqueue(encoder.encode("id: " + window.updatesSent + "\\ndata: " + text + "\\n\\n"));
            }
          }, 50);
          wish?.signal?.addEventListener("abort", () => clearInterval(timer));
        },
      });
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    };
  }`);
}

/** Scrolls through the grid for two seconds, now by rows, now by thousands. */
const SCROLL = `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]");
  const began = performance.now();
  const before = window.updatesSent;
  let frame = 0;
  const step = () => {
    frame += 1;
    grid.scrollTo(0, frame % 10 === 0 ? (frame * 104729 * 40) % (grid.scrollHeight - 1000) : grid.scrollTop + 120);
    const seconds = (performance.now() - began) / 1000;
    if (seconds < 2) requestAnimationFrame(step);
    else resolve({ updates: window.updatesSent - before, seconds });
  };
  requestAnimationFrame(step);
})`;
