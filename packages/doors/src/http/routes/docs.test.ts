import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { useHttpApp, withHttpApp } from "../../testing.ts";

const world = useHttpApp();

verifies(
  "server:docs:page-local",
  "serves a page whose every part comes from here, without inline script",
  async () => {
    const { call } = world();
    expect((await call("GET", "/docs", { key: null })).headers["location"]).toBe("/docs/");
    const page = await call("GET", "/docs/", { key: null });
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self';");
    expect(page.body).not.toMatch(/<script(?![^>]*src=)/);
    expect(page.body).not.toContain("//");
    const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(parts).toHaveLength(4);
    for (const part of parts) {
      const reply = await call("GET", part, { key: null });
      expect([part, reply.statusCode, reply.body.length > 50]).toEqual([part, 200, true]);
    }
    const { etag } = page.headers;
    const again = await call("GET", "/docs/", { key: null, headers: { "if-none-match": String(etag) } });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  },
);

it("serves nothing else of the package, nor anything outside", async () => {
  for (const name of ["package.json", "index.html/../../package.json", "..%2f..%2fpackage.json", "absolute-path.js"]) {
    expect((await world().call("GET", `/docs/${name}`, { key: null })).statusCode).toBe(404);
  }
});

verifies(
  "docs:llms:markdown-pages",
  "serves every guide as Markdown, linked from llms.txt, and the API too",
  async () => {
    await withHttpApp(
      async ({ call }) => {
        const llms = (await call("GET", "/llms.txt", { key: null })).body;
        const names = [...llms.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map((match) => match[1] ?? "");
        expect(names).toEqual(expect.arrayContaining(["/docs/mcp.md", "/docs/moving-from-exa.md", "/docs/search.md"]));
        for (const name of names) {
          const file = await readFile(path.join(import.meta.dirname, "../../../../..", name), "utf8");
          const page = await call("GET", name, { key: null });
          expect([page.headers["content-type"], page.body]).toEqual(["text/markdown; charset=utf-8", file]);
          const read = async (accept: string) => call("GET", name.slice(0, -3), { key: null, headers: { accept } });
          const asked = await read("text/markdown, text/html;q=0.9");
          expect([asked.headers["content-type"], asked.body]).toEqual(["text/markdown; charset=utf-8", file]);
          const shown = await read("text/html,*/*;q=0.8");
          expect([shown.headers["content-type"], shown.headers["vary"]]).toEqual([
            "text/html; charset=utf-8",
            "Origin, Accept",
          ]);
          expect(shown.body).not.toMatch(/<script/i);
        }
        const api = await call("GET", "/docs/", { key: null, headers: { accept: "text/markdown" } });
        expect(api.body).toContain("- [Moving from Exa](/docs/moving-from-exa.md)");
        expect(api.body).toMatch(/## Keys\n\n[^]*- `POST \/quarry\/v1\/keys`: /);
        expect((await call("GET", "/docs/nothing.md", { key: null })).statusCode).toBe(404);
      },
      { docsDirectory: path.join(import.meta.dirname, "../../../../../docs") },
    );
  },
);

verifies("docs:llms:api-catalog", "names the API's description in a catalog as RFC 9727 has it", async () => {
  const { call } = world();
  const catalog = await call("GET", "/.well-known/api-catalog", { key: null });
  expect(catalog.headers["content-type"]).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const { linkset } = JSON.parse(catalog.body) as {
    linkset: { anchor: string; "service-desc"?: { href: string; type: string }[] }[];
  };
  const [described] = linkset.flatMap((links) => links["service-desc"] ?? []);
  expect(described?.type).toBe("application/json");
  const document = await call("GET", new URL(described?.href ?? "").pathname, { key: null });
  expect(JSON.parse(document.body)).toMatchObject({ openapi: "3.1.0" });
  const head = await call("HEAD", "/.well-known/api-catalog", { key: null });
  expect([head.statusCode, head.headers["link"]]).toEqual([200, expect.stringContaining('rel="api-catalog"')]);
});

verifies(
  "server:console:root-redirects",
  "sends browsers from / to the console, and says there what to do when it is not built",
  async () => {
    const { call } = world();
    const root = await call("GET", "/", { key: null });
    expect([root.statusCode, root.headers["location"]]).toEqual([303, "/console/"]);
    const page = await call("GET", "/console/", { key: null });
    expect([page.statusCode, page.body.includes("not built")]).toEqual([200, true]);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'; style-src 'self';");
  },
);

it("serves the built console: files by name, its pages by the start page, nothing outside its directory", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-console-"));
  try {
    await mkdir(path.join(directory, "dist", "assets"), { recursive: true });
    await writeFile(path.join(directory, "dist", "index.html"), "<!doctype html>start");
    await writeFile(path.join(directory, "dist", "assets", "app-B4dF00d5.js"), "start()");
    await writeFile(path.join(directory, "secret.txt"), "secret");
    await withHttpApp(
      async ({ call }) => {
        const read = async (url: string) => {
          const reply = await call("GET", url, { key: null });
          return [
            reply.statusCode,
            reply.body.slice(0, 20),
            reply.headers["cache-control"],
            reply.headers["content-type"],
          ];
        };
        const start = [200, "<!doctype html>start", "no-cache", "text/html; charset=utf-8"];
        expect(await read("/console/")).toEqual(start);
        expect(await read("/console/websets/webset_1")).toEqual(start);
        expect(await read("/console/assets/app-B4dF00d5.js")).toEqual([
          200,
          "start()",
          "public, max-age=31536000, immutable",
          "text/javascript; charset=utf-8",
        ]);
        for (const url of [
          "/console/missing.js",
          "/console/../secret.txt",
          "/console/..%2fsecret.txt",
          "/console/%2e%2e%2fsecret.txt",
        ]) {
          const reply = await call("GET", url, { key: null });
          expect([url, reply.statusCode, reply.body.includes("secret\n")]).toEqual([url, 404, false]);
        }
      },
      { consoleDirectory: path.join(directory, "dist") },
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});
