import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { RESEARCH_BUDGETS } from "@quarry/answer";
import { ToolService } from "@quarry/contract";
import { startTestModelServer, type TestModelServer } from "@quarry/models/testing";
import { verifies } from "@quarry/tests";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUDGETS } from "../../apps/console/src/screens/research/research-tree.ts";
import type { Webset } from "../../apps/console/src/screens/websets/webset-shapes.ts";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";
import { browserProgram, checkPage, launchBrowser, takeScreenshot, withPage } from "./console-browser.ts";

const MINUTE_MS = 60_000;
const PAYLOAD = `<img src=x onerror="alert('title')">`;

const DOCUMENTS = [
  {
    url: "https://stone.example.org/granite",
    title: `How granite is cut ${PAYLOAD}`,
    text: "Granite is quarried with diamond wire. The wire runs through drilled holes and saws the block free. Water cools the wire while it cuts.",
  },
  {
    url: "https://stone.example.org/marble",
    title: "Where marble comes from",
    text: "Marble is limestone that heat and pressure have changed. Marble comes from Carrara, which has quarried white marble for two thousand years.",
  },
  {
    url: "https://stone.example.org/slate",
    title: "How slate is split",
    text: "Slate is split by hand with a broad chisel. A block of slate splits into sheets along its cleavage.",
  },
];

const COMPANIES = [
  { name: "Alpenrad", facts: "Alpenrad makes electric cargo bikes. Alpenrad was founded in 2015." },
  { name: "Bergwerk", facts: "Bergwerk makes electric cargo bikes. Bergwerk was founded in 2011." },
  { name: "Elbkuchen", facts: "Elbkuchen bakes plum cake. Elbkuchen was founded in 2001." },
].map(({ name, facts }) => {
  const url = `https://${name.toLowerCase()}.example/`;
  const organization = JSON.stringify({ "@context": "https://schema.org", "@type": "Organization", name, url });
  const head = `<title>${name}</title><script type="application/ld+json">${organization}</script>`;
  const rest = "<p>This page tells who we are and what we do, for customers and for the press.</p>";
  return {
    url,
    html: `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${name}</h1><p>${facts}</p>${rest}</main></body></html>`,
  };
});

const FIRST_SENTENCE = "Granite is quarried with diamond wire [1]. ";
const SECOND_SENTENCE = "Water cools the wire while it cuts [1].";

/**
 * A language model that says nothing of use when asked for JSON, so that Quarry's own rules decide, and writes two sentences
 * otherwise. While the gate is shut it is silent, after the first sentence too.
 */
function createModel(): {
  readonly answer: (body: Readonly<Record<string, unknown>>, response: ServerResponse) => void;
  readonly shut: () => void;
  readonly open: () => void;
} {
  let isOpen = true;
  let held: (() => void)[] = [];
  const whenOpen = (say: () => void): void => {
    if (isOpen) say();
    else held.push(say);
  };
  const frame = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`;
  return {
    answer: (body, response) => {
      if (body["stream"] === true) {
        response.setHeader("content-type", "text/event-stream");
        response.write(frame({ content: `${FIRST_SENTENCE}Water` }, null));
        whenOpen(() => {
          response.write(frame({ content: SECOND_SENTENCE.slice("Water".length) }, null));
          response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
        });
        return;
      }
      whenOpen(() => {
        const message = { role: "assistant", content: "no" };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
      });
    },
    shut: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const say of held) say();
      held = [];
    },
  };
}

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
  let server: ServerProcess;
  let browser: Browser;
  let modelServer: TestModelServer;
  const model = createModel();
  let directory = "";
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "quarry-work-"));
    modelServer = await startTestModelServer(({ body }, response) => model.answer(body, response));
    [server, browser] = await Promise.all([
      startServerProcess(directory, {
        QUARRY_SAMPLE: "0",
        QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
        QUARRY_LLM_URL: modelServer.url,
        QUARRY_LLM_MODEL: "scripted",
      }),
      launchBrowser(),
    ]);
    expect((await server.call("POST", "/quarry/v1/documents?wait=true", [...DOCUMENTS, ...COMPANIES])).status).toBe(
      200,
    );
  }, 2 * MINUTE_MS);
  afterAll(async () => {
    model.open();
    await browser.close();
    await server.stop();
    await modelServer.close();
    rmSync(directory, { recursive: true, force: true });
  }, MINUTE_MS);
  const open = (page: Page, address: string) => page.goto(`${server.url}/console${address}`);

  verifies(
    [
      "console:research:event-tree",
      "console:research:report",
      "console:research:budget-and-cancel",
      "console:research:download",
    ],
    "begins a research, follows its steps through a dropped connection and a reload, opens its citations and keeps its report",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        model.shut();
        await open(page, "/research");
        await page.getByRole("heading", { name: "Nothing has been researched" }).waitFor();
        await page.getByRole("button", { name: "New research" }).first().click();
        await page
          .getByLabel("What to find out")
          .fill("How is granite cut? Where does marble come from? How is slate split?");
        await page.getByLabel("Budget").selectOption("exa-research-fast");
        expect(await checkPage(page)).toEqual([]);
        let streams = 0;
        await page.route("**/research/v1/*?stream=true", (route) => {
          streams += 1;
          return streams === 1 ? route.abort() : route.continue();
        });
        await page.getByRole("button", { name: "Begin the research" }).click();
        await page.getByText("live", { exact: true }).waitFor(); // the second connection
        await page.getByRole("tab", { name: "Steps" }).click();
        await page.getByRole("list", { name: "Steps" }).getByText("Plan 1").waitFor();
        await page.reload();
        await page.getByRole("list", { name: "Steps" }).getByText("Plan 1").waitFor();
        await page.getByRole("progressbar", { name: "Budget used" }).waitFor();
        model.open();
        await page.getByRole("list", { name: "Steps" }).getByText("Where does marble come from").first().waitFor();
        await page.getByText("completed", { exact: true }).waitFor({ timeout: MINUTE_MS });
        expect(streams).toBeGreaterThan(2);
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "research-steps-light");

        await page.getByRole("tab", { name: "Report" }).click();
        const report = page.getByRole("region", { name: "Report" });
        const marks = report.getByRole("button", { name: /^Source \d/ });
        await marks.first().waitFor();
        await marks.first().hover();
        await report.getByRole("tooltip").first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "research-report-light");
        for (const [number, title] of [
          ["1", /How granite is cut/],
          ["2", "Where marble comes from"],
          ["3", "How slate is split"],
        ] as const) {
          await report
            .getByRole("button", { name: `Source ${number}`, exact: true })
            .first()
            .click();
          const stored = page.getByRole("dialog", { name: title });
          await stored.locator("mark").first().waitFor();
          await page.keyboard.press("Escape");
          await stored.waitFor({ state: "detached" });
        }
        await page.getByRole("tab", { name: "Sources" }).click();
        await page.getByRole("region", { name: "Sources", exact: true }).getByText("used").first().waitFor();

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

        model.shut();
        const { body } = await server.call("POST", "/research/v1", { instructions: "What is slate?" });
        await open(page, `/research/${(body as { researchId: string }).researchId}`);
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByText("canceled", { exact: true }).waitFor();
        model.open();
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
      withPage(browser, server, async ({ page, complaints }) => {
        await open(page, "/?q=how+is+granite+cut");
        await page.getByRole("article").first().waitFor();
        model.shut();
        await page.getByText("answer", { exact: true }).click();
        const answer = page.getByRole("region", { name: "Answer" });
        await answer.getByText("Granite is quarried with diamond wire").first().waitFor();
        await answer.getByText("writing", { exact: true }).waitFor();
        expect(await answer.getByRole("button", { name: "Source 1" }).count()).toBe(1); // the second is not written yet
        model.open();
        await answer.getByText("by the language model").waitFor();
        expect(await answer.getByRole("button", { name: "Source 1" }).count()).toBe(2);
        await page.getByRole("article").first().waitFor();
        const mark = answer.getByRole("button", { name: "Source 1" }).first();
        await mark.hover();
        await answer.getByRole("tooltip").filter({ hasText: "wire" }).first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "answer-light");
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
    ["console:approvals:answers", "console:approvals:rules-simulator", "console:audit:chain-check"],
    "answers the questions of a Connect client: once with edited arguments, rejected with a reason, and several at once",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", useBinaryFormat: true });
        const tools = createClient(ToolService, transport);
        const sessionId = ((await server.call("POST", "/quarry/v1/sessions", {})).body as { id: string }).id;
        const otherSession = ((await server.call("POST", "/quarry/v1/sessions", {})).body as { id: string }).id;
        const search = async (query: string, toolCallId: string, inSession = sessionId): Promise<string> => {
          const call = {
            tool: { case: "exaSearchToolCall" as const, value: { args: { query, type: "keyword", toolCallId } } },
          };
          let told = "";
          for await (const { event } of tools.runAgentTool(
            { sessionId: inSession, call },
            { headers: { "x-api-key": server.key } },
          )) {
            if (event.case === "agentResult") {
              told = JSON.stringify(event.value, (_, value: unknown) =>
                typeof value === "bigint" ? String(value) : value,
              );
            }
          }
          return told;
        };
        await open(page, "/approvals");
        await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
        const edited = search("granite", "c1");
        const question = page.getByRole("article").first();
        await question.getByText('"granite"').waitFor(); // by itself
        await question.getByText(sessionId).waitFor();
        await question.getByText(/ risk$/).waitFor();
        await page.reload();
        await question.getByRole("button", { name: "Edit the arguments" }).click();
        const args = question.getByLabel("Arguments as JSON");
        await args.fill("{");
        await question.getByText("not a JSON object").waitFor();
        await args.fill(JSON.stringify({ query: "marble", type: "keyword" }));
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "approvals-light");
        await question.getByRole("button", { name: "Once" }).click();
        expect(await edited).toContain("Where marble comes from");

        const rejected = search("slate", "c2");
        await question.getByLabel("Reason", { exact: true }).fill("look at home");
        await question.getByRole("button", { name: "Reject", exact: true }).click();
        expect(await rejected).toContain("look at home");

        const several = [search("slate", "c3"), search("granite", "c4")];
        await expect.poll(() => page.getByRole("article").count(), { timeout: 10_000 }).toBe(2);
        await page.getByLabel("All 2").check();
        await page.getByRole("button", { name: "Approve chosen once" }).click();
        expect((await Promise.all(several)).join()).toContain("How slate is split");

        const session = search("marble", "c5");
        await question.getByRole("button", { name: "For the session" }).click();
        await session;
        expect(await search("marble", "c6")).toContain("Where marble comes from"); // not asked again

        const always = search("marble", "c7", otherSession);
        await question.getByRole("button", { name: "Always" }).click();
        await always;
        expect(await search("slate", "c8", otherSession)).toContain("How slate is split");

        await page.getByRole("tab", { name: "Answered" }).click();
        await page.getByRole("cell", { name: "look at home" }).waitFor();
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
        await takeScreenshot(page, "rules-light");
        await page.getByRole("tab", { name: "Sessions" }).click();
        const todos = [{ id: "1", content: `Read the quarry's page ${PAYLOAD}`, status: "in_progress" }];
        const written = server.call("POST", `/quarry/v1/tools/todo_write/calls?sessionId=${sessionId}`, {
          todos,
          merge: false,
        });
        expect((await written).status).toBe(200);
        await page.getByRole("link", { name: sessionId }).click();
        await page.getByRole("list", { name: "Todos" }).getByText("Read the quarry's page").waitFor();
        await takeScreenshot(page, "session-light");
        await page.keyboard.press("Escape");
        await page.getByRole("tab", { name: "Audit log" }).click();
        await page.getByRole("button", { name: "Check the chain" }).click();
        await page.getByText(/The chain holds: \d+ entries/).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "audit-light");
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
    [
      "console:websets:list-and-wizard",
      "console:websets:success-rate",
      "console:websets:override",
      "console:websets:live-cells",
      "console:websets:filter-sort-group",
      "console:websets:run-choices",
      "console:websets:keyboard",
      "console:websets:events",
    ],
    "makes a webset with preview and estimate, watches it fill, opens a cell and its quote, puts it right and exports it",
    () =>
      withPage(browser, server, async ({ page, complaints }) => {
        await open(page, "/websets");
        await page.getByRole("heading", { name: "There is no webset" }).waitFor();
        await page.getByRole("button", { name: "New webset" }).first().click();
        await page.getByLabel("What the list is of").fill("companies that make electric cargo bikes");
        await page.getByRole("button", { name: "Preview" }).click();
        await page.getByLabel("What the items are").selectOption("company");
        await page.getByRole("list", { name: "For instance" }).getByText("alpenrad.example").first().waitFor();
        await page.getByLabel(/What each must meet/).fill("makes electric cargo bikes");
        await page.getByLabel(/What to ask of each/).fill("In which year was the company founded?");
        await page.getByRole("button", { name: "Estimate" }).click();
        await page.getByText(/At most \d+ candidates judged/).waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "webset-wizard-light");
        await page.getByRole("button", { name: "Make the webset" }).click();
        const grid = page.getByRole("grid", { name: "Items" });
        const verdict = grid.getByRole("button", { name: "makes electric cargo bikes of Alpenrad: yes" });
        await verdict.waitFor({ timeout: MINUTE_MS });
        await page.reload();
        await grid.getByRole("button", { name: /of Alpenrad: .*2015/ }).waitFor({ timeout: MINUTE_MS });
        await grid.getByRole("columnheader", { name: /makes electric cargo bikes \d+ %/ }).waitFor();
        expect(await grid.getByRole("rowheader", { name: "Elbkuchen" }).count()).toBe(0);
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "webset-grid-light");

        await verdict.focus();
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        const year = page.getByRole("dialog", { name: /^Alpenrad: / });
        await year.getByRole("region", { name: "Quotes" }).getByText("founded in 2015").waitFor();
        await year.getByLabel("Put it right").fill("2016");
        await year.getByLabel("Note").fill("says the register");
        await year.getByRole("button", { name: "Save" }).click();
        await year.getByRole("list", { name: "History" }).getByText("says the register").waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "webset-cell-light");
        await page.keyboard.press("Escape");
        const changed = grid.getByRole("button", { name: /of Alpenrad: 2016/ });
        await changed.waitFor();
        await changed.focus();
        await page.keyboard.press("u");
        await grid.getByRole("button", { name: /of Alpenrad: 2015/ }).waitFor();
        await page.keyboard.press("e");
        await page.getByLabel("Put it right").fill("2016");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
        await changed.waitFor();

        const names = (): Promise<string[]> => grid.getByRole("rowheader").allTextContents();
        await page.getByLabel("Sort").selectOption("name");
        await expect.poll(names).toEqual(["Alpenrad", "Bergwerk"]);
        await page.getByRole("button", { name: "Turn the order" }).click();
        await expect.poll(names).toEqual(["Bergwerk", "Alpenrad"]);
        await page.getByLabel("Group").selectOption({ index: 2 });
        await expect.poll(names).toEqual(["20111", "Bergwerk", "20161", "Alpenrad"]); // a value and how many have it
        await page.reload();
        await expect.poll(names).toEqual(["20111", "Bergwerk", "20161", "Alpenrad"]);
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "webset-grouped-light");
        await page.getByLabel("Show").selectOption("by-hand");
        await expect.poll(names).toEqual(["20161", "Alpenrad"]);
        await page.getByLabel("Group").selectOption("");
        await page.getByLabel("Show").selectOption("all");
        await page.getByRole("button", { name: /^Fill In which year .* again$/ }).click();
        await page.getByRole("button", { name: "Only empty ones" }).click();
        await page.getByText("No cell is like that").waitFor();
        await page.getByRole("button", { name: /^Fill In which year .* again$/ }).click();
        await page.getByRole("button", { name: "The first ten" }).click();
        await page.getByText("1 cell is filled again").waitFor(); // the other is a person's
        const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
        const status = async () => ((await server.call("GET", `/websets/v0/websets/${id}`)).body as Webset).status;
        await expect.poll(status, { timeout: MINUTE_MS }).toBe("idle");
        await page.reload(); // without the messages
        await grid.getByRole("button", { name: /of Bergwerk: 2011/ }).focus();
        await page.keyboard.press("r");
        await page.getByText("1 cell is filled again").waitFor();
        await grid.getByRole("button", { name: /of Bergwerk: 2011/ }).waitFor();
        await page.getByRole("tab", { name: "Events" }).click();
        await page.getByRole("list", { name: "What happened" }).getByText("Bergwerk").first().waitFor();
        expect(await checkPage(page)).toEqual([]);
        await takeScreenshot(page, "webset-events-light");
        await page.getByRole("tab", { name: "Items" }).click();
        await verdict.click();
        await page.getByRole("region", { name: "Quotes" }).getByRole("button").first().click();
        await page.getByRole("dialog", { name: "Alpenrad", exact: true }).locator("mark").first().waitFor();
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");

        await page.getByRole("button", { name: "Export" }).click();
        await page.getByRole("button", { name: "CSV" }).click();
        const link = page.getByRole("link", { name: "Download CSV" });
        await link.waitFor();
        const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
        expect(readFileSync(await download.path(), "utf8")).toContain("2016");
        expect(complaints).toEqual([]);
      }),
    2 * MINUTE_MS,
  );

  verifies(
    ["console:websets:grid-virtualised"],
    "keeps only the rows in sight of a long webset, and its first column in place",
    () =>
      withPage(
        browser,
        server,
        async ({ page, complaints }) => {
          const [webset] = ((await server.call("GET", "/websets/v0/websets")).body as { data: { id: string }[] }).data;
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
          await open(page, `/websets/${webset?.id ?? ""}`);
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
    ["console:webhooks:endpoints", "console:webhooks:delivery-log", "console:webhooks:replay-and-test"],
    "makes a webhook, sends a test, rotates its secret, and replays a delivery that failed",
    async () => {
      let status = 500;
      let requests = 0;
      const receiver = createServer((request, response) => {
        requests += 1;
        request.resume();
        response.writeHead(status).end(`the receiver says ${status}`);
      });
      await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
      const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      try {
        await withPage(browser, server, async ({ page, complaints }) => {
          await open(page, "/webhooks");
          await page.getByRole("heading", { name: "Nobody is told of events" }).waitFor();
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
          await page.getByText(/^status 500 after \d/).waitFor();
          await page.getByRole("button", { name: "Close message" }).click();

          const search = { query: "companies that bake cake", count: 1 };
          expect((await server.call("POST", "/websets/v0/websets", { search })).status).toBe(201);
          const deliveries = page.getByRole("region", { name: "Delivery log" });
          const row = deliveries.getByRole("row", { name: /webset\.created/ });
          await row.getByText("waiting").waitFor();
          await page
            .getByRole("region", { name: /^Attempts/ })
            .getByText("the receiver says 500")
            .first()
            .waitFor();
          await page.reload();
          status = 200;
          await row.getByRole("button", { name: /^Replay/ }).click();
          await row.getByText("delivered").waitFor();
          const before = requests; // whatever the schedule's own next try did: once it is delivered, only a replay sends it
          await row.getByRole("button", { name: /^Replay/ }).click();
          await expect.poll(() => requests, { timeout: 20_000 }).toBeGreaterThan(before);
          await row.getByText("delivered").waitFor();
          await page
            .getByRole("region", { name: /^Attempts/ })
            .getByText("status 200")
            .first()
            .waitFor();
          expect(await checkPage(page)).toEqual([]);
          await takeScreenshot(page, "webhook-light");
          expect(complaints).toEqual([]);
        });
      } finally {
        receiver.closeAllConnections();
        await new Promise((closed) => receiver.close(closed));
      }
    },
    2 * MINUTE_MS,
  );
});
