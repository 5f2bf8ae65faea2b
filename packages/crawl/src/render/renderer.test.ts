import { createDialer, type DialerOptions } from "@quarry/net";
import { closeWithTest, fakeResolve, openTo, useServer } from "@quarry/net/testing";
import { chromium } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import type { LaunchBrowser } from "./browser-seat.ts";
import { createRenderer, type Renderer, type RenderOutcome } from "./renderer.ts";
import type { RenderLimits } from "./render-limits.ts";
import { canSandbox, describeBrowser } from "./testing-browser.ts";

const url = "http://site.example/app";
const never = new AbortController().signal;

/** A renderer whose `site.example` is a server on loopback; everything else is as the dialer's guard says. */
async function useRenderer(
  browserPath: string | undefined,
  answer: (path: string) => string | undefined,
  options: {
    readonly limits?: Partial<RenderLimits>;
    readonly dialer?: DialerOptions;
    readonly launch?: LaunchBrowser;
  } = {},
): Promise<{ readonly renderer: Renderer; readonly asked: string[] }> {
  const asked: string[] = [];
  const site = await useServer((request, response) => {
    asked.push(request.url ?? "");
    const body = answer(request.url ?? "");
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/javascript" }).end(body ?? "");
  });
  const dialer = closeWithTest(
    createDialer({
      resolve: fakeResolve({ "site.example": [["93.184.216.34"]] }),
      openSocket: openTo((address) => (address === "93.184.216.34" ? site.port : undefined)),
      ...options.dialer,
    }),
  );
  const renderer = createRenderer({
    dialer,
    browserPath,
    sandbox: canSandbox,
    userAgent: "QuarryBot/test",
    limits: { settleMs: 2_000, ...options.limits },
    ...(options.launch === undefined ? {} : { launch: options.launch }),
  });
  onTestFinished(() => renderer.close());
  return { renderer, asked };
}

function render(
  renderer: Renderer,
  html: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RenderOutcome> {
  const page = { url, bytes: Buffer.from(html), headers: { "content-type": "text/html; charset=utf-8", ...headers } };
  return renderer.render(page, never);
}

function htmlOf(outcome: RenderOutcome): string {
  expect(outcome).toMatchObject({ kind: "rendered" });
  return outcome.kind === "rendered" ? Buffer.from(outcome.html).toString("utf8") : "";
}

it("without a browser says so, and what to do", async () => {
  const { renderer } = await useRenderer(undefined, () => undefined);
  expect(await render(renderer, "<p>x</p>")).toMatchObject({ kind: "no-browser", message: /install Chromium/ });
  const { renderer: wrong } = await useRenderer(process.execPath, () => undefined);
  expect(await render(wrong, "<p>x</p>")).toMatchObject({ kind: "no-browser", message: /does not start/ });
}, 60_000);

describeBrowser("a page in a browser", (browserPath) => {
  it("is what its scripts make of it, fetched data and late changes included; the page itself is not fetched again", async () => {
    const { renderer, asked } = await useRenderer(browserPath, (path) =>
      path === "/main.js"
        ? `fetch("/data.json").then((r) => r.text()).then((text) => setTimeout(() => {
             document.getElementById("root").innerHTML = "<h1>Grüße: " + text + "</h1>"; }, 300));`
        : path === "/data.json"
          ? "from the server"
          : undefined,
    );
    const outcome = await render(renderer, `<!doctype html><div id="root"></div><script src="/main.js"></script>`);
    expect(htmlOf(outcome)).toContain("<h1>Grüße: from the server</h1>");
    expect(outcome).toMatchObject({ cut: false });
    expect(asked).toEqual(["/main.js", "/data.json"]);
  }, 60_000);

  it("is read in its own charset, and obeys its own policy", async () => {
    const { renderer, asked } = await useRenderer(browserPath, () => "document.title = 'ran';");
    const page = {
      url,
      bytes: Buffer.from("<title>caf\xe9</title><script src='/x.js'></script>", "latin1"),
      headers: { "content-type": "text/html; charset=windows-1252", "content-security-policy": "script-src 'none'" },
    };
    expect(htmlOf(await renderer.render(page, never))).toContain("<title>café</title>");
    expect(asked).toEqual([]);
  }, 60_000);

  it("that leads elsewhere is told as moved, and the place is not asked for", async () => {
    const { renderer, asked } = await useRenderer(browserPath, () => "");
    const outcome = await render(renderer, "<script>location.href = '/elsewhere?utm_source=x#part';</script>");
    expect(outcome).toEqual({ kind: "moved", to: "http://site.example/elsewhere" });
    expect(asked).toEqual([]);
  }, 60_000);

  it.each([
    ["never ends", "while (true) {}", "failed"],
    ["asks on and on", "setInterval(() => fetch('/more'), 20)", "rendered"],
    ["opens windows and dialogs", "setInterval(() => { open('/x'); alert('x'); }, 20)", "rendered"],
  ])(
    "whose script %s is cut off in time",
    async (_name, script, kind) => {
      const { renderer } = await useRenderer(browserPath, () => "x", { limits: { pageMs: 3_000, settleMs: 1_000 } });
      const began = performance.now();
      expect((await render(renderer, `<p>shown</p><script>${script}</script>`)).kind).toBe(kind);
      expect(performance.now() - began).toBeLessThan(25_000);
      expect(htmlOf(await render(renderer, "<p>the next one</p>"))).toContain("the next one");
    },
    90_000,
  );

  it("gets its share of requests and bytes, and no more", async () => {
    const { renderer, asked } = await useRenderer(browserPath, () => "y".repeat(100_000), {
      limits: { maxRequests: 30, maxBytes: 1_000_000, pageMs: 8_000 },
    });
    const flood = "for (let n = 0; n < 500; n += 1) fetch('/flood' + n).catch(() => {})";
    const outcome = await render(renderer, `<p>flood</p><script>${flood}</script>`);
    expect(outcome).toMatchObject({ kind: "rendered" });
    expect(asked.length).toBeLessThanOrEqual(31);
    expect(outcome.kind === "rendered" && outcome.bytes).toBeLessThan(1_500_000);
  }, 60_000);

  it("does not load what brings no text", async () => {
    const { renderer, asked } = await useRenderer(browserPath, () => "");
    await render(
      renderer,
      `<img src="/a.png"><video src="/b.mp4"></video><style>@font-face{font-family:f;src:url(/c.woff)}p{font-family:f}</style><p>x</p>`,
    );
    expect(asked).toEqual([]);
  }, 60_000);

  // While the browser starts, and while the page runs.
  it.each([0, 1_500])(
    "ends soon when the caller aborts after %i ms",
    async (waitMs) => {
      const { renderer } = await useRenderer(browserPath, () => "x", { limits: { maxPages: 1 } });
      const stop = new AbortController();
      const page = { url, bytes: Buffer.from("<script>setInterval(() => fetch('/'), 10)</script>"), headers: {} };
      const running = renderer.render(page, stop.signal);
      setTimeout(() => stop.abort(new Error("called off")), waitMs);
      await expect(running).rejects.toThrow("called off");
      expect(htmlOf(await render(renderer, "<p>again</p>"))).toContain("again");
    },
    60_000,
  );

  it("ends when the caller aborts while its tab is being opened", async () => {
    const stop = new AbortController();
    const { renderer } = await useRenderer(browserPath, () => "x", {
      limits: { maxPages: 1 },
      launch: async (launchOptions) => {
        const browser = await chromium.launch(launchOptions);
        const newContext = browser.newContext.bind(browser);
        browser.newContext = async (contextOptions) => {
          const context = await newContext(contextOptions);
          const newPage = context.newPage.bind(context);
          context.newPage = () => {
            const opening = newPage();
            stop.abort(new Error("called off"));
            return opening;
          };
          return context;
        };
        return browser;
      },
    });
    await expect(renderer.render({ url, bytes: Buffer.from("<p>x</p>"), headers: {} }, stop.signal)).rejects.toThrow(
      "called off",
    );
    expect(htmlOf(await render(renderer, "<p>again</p>"))).toContain("again");
  }, 60_000);

  it("comes back after the browser was killed, and several at once share one", async () => {
    const { renderer } = await useRenderer(browserPath, () => "x", { limits: { maxPages: 2, pagesPerBrowser: 3 } });
    const pages = Array.from({ length: 6 }, (_, index) => render(renderer, `<p>page ${index}</p>`));
    for (const [index, outcome] of (await Promise.all(pages)).entries()) {
      expect(htmlOf(outcome)).toContain(`page ${index}`);
    }
    await renderer.close();
    expect(await render(renderer, "<p>x</p>")).toMatchObject({ kind: "no-browser" });
  }, 90_000);
});
