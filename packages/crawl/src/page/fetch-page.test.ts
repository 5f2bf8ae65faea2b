import { AppError } from "@quarry/base";
import { describe, expect, it } from "vitest";
import type { RobotsVerdict } from "../robots/robots-cache.ts";
import { fetchPage, pageStatusOf, type FetchOutcome, type FetchPageDeps, type FetchPageOptions } from "./fetch-page.ts";
import type { HttpReply, HttpRequest, HttpStop } from "./http-exchange.ts";

const url = "https://a.test/page";
const now = new Date("2025-01-01T00:00:00Z");
const never = new AbortController().signal;

/** A web whose every page answers so; `asked` keeps the requests. */
function webOfOnePage(
  answer: Partial<HttpReply> | HttpStop | ((url: string) => Partial<HttpReply>) = {},
  changes: Partial<FetchPageDeps> = {},
): FetchPageDeps & { readonly asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  return {
    asked,
    allows: () => Promise.resolve({ kind: "allowed" }),
    get: (request) => {
      asked.push(request);
      const made = typeof answer === "function" ? answer(request.url) : answer;
      if (made.kind === "refused" || made.kind === "failed") return Promise.resolve(made);
      const headers = { "content-type": "text/html; charset=utf-8" };
      const page: HttpReply = {
        kind: "reply",
        url: request.url,
        status: 200,
        headers,
        body: Buffer.from("<html>hi"),
        truncated: false,
      };
      return Promise.resolve({ ...page, ...made });
    },
    now: () => now,
    ...changes,
  };
}

const visit = (deps: FetchPageDeps, options: FetchPageOptions = {}): Promise<FetchOutcome> =>
  fetchPage(deps, url, never, options);
const statusOf = async (deps: FetchPageDeps, options?: FetchPageOptions): Promise<string> =>
  pageStatusOf(await visit(deps, options));

describe("fetchPage", () => {
  it("gives the page with all that is known of it", async () => {
    const headers = {
      "content-type": "Text/HTML; charset=ISO-8859-1",
      etag: '"1"',
      "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    };
    expect(await fetchPage(webOfOnePage({ headers }), "HTTPS://A.test/page?utm_source=x#y", never)).toEqual({
      kind: "fetched",
      redirects: [],
      page: {
        url,
        fetchedAt: now,
        status: 200,
        bytes: Buffer.from("<html>hi"),
        format: "html",
        mislabelled: false,
        mediaType: "text/html",
        charset: "ISO-8859-1",
        validators: { etag: '"1"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" },
        headers,
      },
    });
  });

  it("asks for news only when it knows the page", async () => {
    const deps = webOfOnePage({ status: 304, headers: { etag: '"2"' } });
    const outcome = await visit(deps, { validators: { etag: '"1"' } });
    expect(outcome).toEqual({ kind: "not-modified", url, fetchedAt: now, validators: { etag: '"2"' }, redirects: [] });
    expect(deps.asked[0]?.headers).toMatchObject({ "if-none-match": '"1"' });
    expect(pageStatusOf(outcome)).toBe("not-modified");
  });

  it.each(["", "not a url", "ftp://a.test/x", "javascript:1", `https://a.test/${"x".repeat(3000)}`])(
    "refuses what is no address of a page (case %#)",
    async (bad) => {
      const deps = webOfOnePage();
      expect(await fetchPage(deps, bad, never)).toMatchObject({ kind: "refused", reason: "bad-url" });
      expect(deps.asked).toEqual([]);
    },
  );

  it("asks nothing of a page that robots forbids", async () => {
    const deps = webOfOnePage({}, { allows: () => Promise.resolve({ kind: "disallowed" }) });
    expect(await visit(deps)).toEqual({
      kind: "refused",
      reason: "robots",
      message: `robots.txt does not let us read ${url}`,
      redirects: [],
    });
    expect(deps.asked).toEqual([]);
  });

  it.each<[string, RobotsVerdict]>([
    ["robots-unreachable", { kind: "unreachable", error: new AppError("upstream_failed", "503") }],
    [
      "private-address",
      {
        kind: "unreachable",
        error: new AppError("upstream_failed", "x"),
        stop: { kind: "refused", reason: "private-address", message: "x" },
      },
    ],
    [
      "unreachable",
      {
        kind: "unreachable",
        error: new AppError("upstream_failed", "x"),
        stop: { kind: "failed", reason: "dns", error: new AppError("upstream_failed", "x") },
      },
    ],
  ])("says %s when robots.txt cannot be had for that reason", async (status, verdict) => {
    expect(await statusOf(webOfOnePage({}, { allows: () => Promise.resolve(verdict) }))).toBe(status);
  });

  it.each([
    [404, "not-there"],
    [410, "gone"],
    [401, "access-denied"],
    [403, "access-denied"],
    [451, "access-denied"],
    [400, "http-error"],
    [418, "http-error"],
    [204, "empty"],
    [300, "bad-redirect"],
    [429, "rate-limited"],
    [500, "server-error"],
    [503, "server-error"],
    [408, "timeout"],
  ])("calls an answer of %i %s", async (status, word) => {
    const outcome = await visit(webOfOnePage({ status }));
    expect([pageStatusOf(outcome), "httpStatus" in outcome ? outcome.httpStatus : undefined]).toEqual([word, status]);
  });

  it.each<[string, HttpStop]>([
    ["private-address", { kind: "refused", reason: "private-host", message: "x" }],
    ["bad-url", { kind: "refused", reason: "blocked-port", message: "x" }],
    ["too-large", { kind: "refused", reason: "decompression-bomb", message: "x" }],
    ["unsupported-type", { kind: "refused", reason: "unsupported-encoding", message: "x" }],
    ["timeout", { kind: "failed", reason: "timeout", error: new AppError("timeout", "x", { retryable: true }) }],
    [
      "unreachable",
      { kind: "failed", reason: "connect", error: new AppError("upstream_failed", "x", { retryable: true }) },
    ],
  ])("says %s when the dialer stops for that reason", async (status, stop) => {
    expect(await statusOf(webOfOnePage(stop))).toBe(status);
  });

  it("says when to come back, if the server did", async () => {
    const outcome = await visit(webOfOnePage({ status: 429, headers: { "retry-after": "120" } }));
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "rate-limited",
      error: { code: "rate_limited", retryable: true, retryAfterMs: 120_000 },
    });
  });

  it("refuses what is too large or holds no text, and believes bytes over labels", async () => {
    expect(await statusOf(webOfOnePage({ truncated: true }))).toBe("too-large");
    expect(
      await statusOf(
        webOfOnePage({ headers: { "content-type": "image/png" }, body: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") }),
      ),
    ).toBe("unsupported-type");
    const mislabelled = await visit(
      webOfOnePage({ headers: { "content-type": "text/html" }, body: Buffer.from("%PDF-1.7") }),
    );
    expect(mislabelled).toMatchObject({ kind: "fetched", page: { format: "pdf", mislabelled: true } });
  });

  it("follows redirects, asking robots at every hop", async () => {
    const allowed: string[] = [];
    const deps = webOfOnePage(
      (asked) => (asked.endsWith("/page") ? { status: 301, headers: { location: "//b.test/new?gclid=1#x" } } : {}),
      {
        allows: (hop) => {
          allowed.push(hop);
          return Promise.resolve({ kind: "allowed" });
        },
      },
    );
    expect(await visit(deps)).toMatchObject({
      kind: "fetched",
      page: { url: "https://b.test/new" },
      redirects: [{ from: url, to: "https://b.test/new", status: 301 }],
    });
    expect(allowed).toEqual([url, "https://b.test/new"]);
  });

  it.each([
    [
      "redirect-loop",
      (asked: string) => ({ status: 302, headers: { location: asked.endsWith("1") ? "/page" : "/page1" } }),
    ],
    ["too-many-redirects", (asked: string) => ({ status: 302, headers: { location: `${asked}x` } })],
    ["bad-redirect", () => ({ status: 302, headers: {} })],
    ["bad-redirect", () => ({ status: 302, headers: { location: "mailto:x@a.test" } })],
    ["bad-redirect", () => ({ status: 302, headers: { location: "http://[" } })],
  ])("says %s for redirects that lead nowhere (case %#)", async (status, answer) => {
    const deps = webOfOnePage(answer);
    expect(await statusOf(deps)).toBe(status);
    expect(deps.asked.length).toBeLessThanOrEqual(11);
  });

  it("does not leave a crawl by a redirect", async () => {
    const deps = webOfOnePage({ status: 301, headers: { location: "https://b.test/" } });
    expect(await visit(deps, { mayFollow: (target) => target.startsWith("https://a.test/") })).toMatchObject({
      kind: "refused",
      reason: "redirected-away",
      redirects: [{ to: "https://b.test/" }],
    });
    expect(deps.asked).toHaveLength(1);
  });

  it("rejects, rather than fails, when aborted", async () => {
    const stop = new AbortController();
    const get = (): Promise<never> => {
      stop.abort();
      return Promise.reject(stop.signal.reason as Error);
    };
    await expect(fetchPage(webOfOnePage({}, { get }), url, stop.signal)).rejects.toThrow("aborted");
  });
});
