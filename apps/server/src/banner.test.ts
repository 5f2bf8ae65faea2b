import { expect, it } from "vitest";
import { renderBanner, type StartReport } from "./banner.ts";

const first: StartReport = {
  version: "1.2.3",
  url: "http://127.0.0.1:7700",
  servesPeople: true,
  newKey: "qk_new",
  signInUrl: "http://127.0.0.1:7700/console/sign-in?token=t",
  dataDirectory: "/data",
  database: "PostgreSQL 18, embedded",
  authMode: "key",
  hasPages: true,
  startMs: 2_345,
};

it("tells a first start in ten lines at most", () => {
  expect(renderBanner(first)).toBe(`Quarry 1.2.3 is ready at http://127.0.0.1:7700 (started in 2.3 s)

  API key, shown once        qk_new
  Console, link works once   http://127.0.0.1:7700/console/sign-in?token=t
  Try it                     curl -s http://127.0.0.1:7700/search -H "x-api-key: qk_new" -H "content-type: application/json" -d '{"query":"how does a database survive a power failure?","numResults":3,"contents":{"highlights":true}}'
  API page                   http://127.0.0.1:7700/docs
  Data                       /data (PostgreSQL 18, embedded)
  Stop                       Ctrl+C
`);
});

it("never shows a key that was made before", () => {
  expect(renderBanner({ ...first, newKey: undefined })).toContain('-H "x-api-key: $QUARRY_API_KEY"');
});

it("says loudly that no key is asked", () => {
  const banner = renderBanner({ ...first, newKey: undefined, authMode: "none" });
  expect(banner).toContain("QUARRY_AUTH=none");
  expect(banner).not.toContain("x-api-key");
});

it("says how to get pages when there are none, with a curl that works all the same", () => {
  const banner = renderBanner({ ...first, hasPages: false });
  expect(banner).toContain('curl -s http://127.0.0.1:7700/quarry/v1/health -H "x-api-key: qk_new"');
  expect(banner).toContain("npx quarry crawl");
  expect(banner.trim().split("\n").length).toBeLessThanOrEqual(10);
});

it("names nothing that a worker does not serve", () => {
  const worker = { ...first, servesPeople: false, newKey: undefined, signInUrl: undefined, hasPages: false };
  expect(renderBanner(worker)).toBe(`Quarry 1.2.3 is ready at http://127.0.0.1:7700 (started in 2.3 s)

  Data   /data (PostgreSQL 18, embedded)
  Stop   Ctrl+C
`);
});
