import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "./body/read-body.ts";
import { followRedirect, type Hop } from "./redirect.ts";
import { useDialer, useServer } from "./testing.ts";

const never = new AbortController().signal;

function hop(changes: Partial<Omit<Hop, "url">> & { readonly url?: string } = {}): Hop {
  const { url = "https://a.example/dir/page", ...rest } = changes;
  return { method: "GET", headers: {}, body: undefined, ...rest, url: new URL(url) };
}

describe("followRedirect", () => {
  it.each([
    ["/x", "https://a.example/x"],
    ["x?y#z", "https://a.example/dir/x?y"],
    ["//b.example/", "https://b.example/"],
    ["http://b.example", "http://b.example/"],
    ["\thttps://b.example/é ", "https://b.example/%C3%A9"],
    ["", "https://a.example/dir/page"],
  ])("resolves %j", (location, expected) => {
    const next = followRedirect(hop(), 302, location);
    expect(next.kind === "next" ? next.hop.url.href : next).toBe(expected);
  });

  it("refuses what is not a URL", () => {
    expect(followRedirect(hop(), 302, "http://[")).toMatchObject({ kind: "refused", reason: "invalid-redirect" });
  });

  it.each([
    ["POST", 301, "GET"],
    ["POST", 302, "GET"],
    ["POST", 303, "GET"],
    ["PUT", 303, "GET"],
    ["PUT", 302, "PUT"],
    ["POST", 307, "POST"],
    ["POST", 308, "POST"],
    ["HEAD", 303, "HEAD"],
    ["DELETE", 308, "DELETE"],
  ])("turns %s after %i into %s, with the body only where the method stays", (method, status, expected) => {
    const before = hop({ method, body: "b", headers: { "content-type": "text/plain", "x-a": "1" } });
    const next = followRedirect(before, status, "/next");
    const hasBody = expected === method;
    expect(next).toMatchObject({
      kind: "next",
      hop: { method: expected, body: hasBody ? "b" : undefined },
    });
    expect(next).toHaveProperty("hop.headers", hasBody ? before.headers : { "x-a": "1" });
  });

  it("keeps keys and cookies for the same origin and shows them to no other", () => {
    const headers = {
      authorization: "Bearer s",
      cookie: "s=1",
      "x-api-key": "s",
      "if-none-match": "tag",
      accept: "text/html",
      "user-agent": "Quarry",
      "accept-language": "fr",
    };
    const same = followRedirect(hop({ headers }), 302, "/next");
    expect(same).toHaveProperty("hop.headers", headers);
    for (const location of [
      "https://b.example/",
      "https://a.example:444/",
      "http://a.example/",
      "https://x.a.example/",
    ]) {
      const other = followRedirect(hop({ headers }), 302, location);
      expect(other).toHaveProperty("hop.headers", {
        accept: "text/html",
        "user-agent": "Quarry",
        "accept-language": "fr",
      });
    }
  });

  it("goes from https to http with nothing but GET and HEAD", () => {
    expect(followRedirect(hop(), 302, "http://a.example/")).toMatchObject({ kind: "next" });
    expect(followRedirect(hop({ method: "POST", body: "b" }), 303, "http://a.example/")).toMatchObject({
      kind: "next",
    });
    expect(followRedirect(hop({ method: "POST", body: "b" }), 307, "http://a.example/")).toMatchObject({
      kind: "refused",
      reason: "insecure-redirect",
    });
  });
});

describe("a dial over redirects", () => {
  const chain = (length: number) => (request: IncomingMessage, response: ServerResponse) => {
    const step = Number(request.url?.slice(1));
    if (step < length) response.writeHead(301, { location: `/${step + 1}` }).end("moved");
    else response.end("arrived");
  };

  it.each([
    ["UTF-8", Buffer.from("/straße?q=東京").toString("latin1"), "/stra%C3%9Fe?q=%E6%9D%B1%E4%BA%AC"],
    ["Latin-1", "/stra\xdfe", "/stra%C3%9Fe"],
  ])("goes where an address in raw %s means", async (_name, location, path) => {
    const server = await useServer((request, response) => {
      if (request.url === "/") response.writeHead(302, { location }).end();
      else response.end(request.url);
    });
    const dialer = useDialer();
    const reply = await dialer.fetch({ url: `${server.url}/` }, never);
    expect(reply).toMatchObject({ url: server.url + path });
    if (reply.kind === "reply") reply.discard();
    const manual = await dialer.fetch({ url: `${server.url}/`, redirects: "manual" }, never);
    expect(manual).toMatchObject({ location: server.url + path });
    if (manual.kind === "reply") manual.discard();
  });

  it("tells the way, on one connection", async () => {
    const server = await useServer(chain(2));
    const reply = await useDialer().fetch({ url: `${server.url}/0` }, never);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    const [zero, one, two] = ["/0", "/1", "/2"].map((path) => server.url + path);
    expect([reply.url, reply.redirects]).toEqual([
      two,
      [
        { status: 301, from: zero, to: one },
        { status: 301, from: one, to: two },
      ],
    ]);
    expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from("arrived") });
    expect(server.accepted()).toBe(1);
  });

  verifies("security:dialer:cap-redirects", "ends at the limit", async () => {
    const server = await useServer(chain(100));
    const dialer = useDialer();
    expect(await dialer.fetch({ url: `${server.url}/0` }, never)).toMatchObject({
      kind: "refused",
      reason: "too-many-redirects",
      url: `${server.url}/11`,
    });
    expect(await dialer.fetch({ url: `${server.url}/90`, limits: { maxRedirects: 9 } }, never)).toMatchObject({
      reason: "too-many-redirects",
    });
    expect(await dialer.fetch({ url: `${server.url}/90` }, never)).toMatchObject({ kind: "reply", status: 200 });
    expect(await dialer.fetch({ url: `${server.url}/99`, limits: { maxRedirects: 0 } }, never)).toMatchObject({
      reason: "too-many-redirects",
    });
  });

  it.each([
    ["itself", "/a", "/a"],
    ["another and back", "/a", "/b"],
  ])("ends when it leads to %s", async (_name, first, second) => {
    const server = await useServer((request, response) => {
      response.writeHead(302, { location: request.url === first ? second : first }).end();
    });
    expect(await useDialer().fetch({ url: server.url + first }, never)).toMatchObject({
      kind: "refused",
      reason: "redirect-loop",
    });
  });

  it("is left to the caller when asked for", async () => {
    const server = await useServer((_request, response) => response.writeHead(308, { location: "../to" }).end("moved"));
    const reply = await useDialer().fetch({ url: `${server.url}/a/b`, redirects: "manual" }, never);
    expect(reply).toMatchObject({ kind: "reply", status: 308, location: `${server.url}/to`, redirects: [] });
  });

  it("is a plain reply when it does not say where to", async () => {
    const server = await useServer((_request, response) => response.writeHead(302).end("nowhere"));
    expect(await useDialer().fetch({ url: server.url }, never)).toMatchObject({ kind: "reply", status: 302 });
  });

  it("does not wait for the endless body of a redirect", async () => {
    const server = await useServer((request, response) => {
      if (request.url === "/to") {
        response.end("arrived");
        return;
      }
      response.writeHead(302, { location: "/to" });
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
      };
      response.on("drain", write);
      write();
    });
    const reply = await useDialer().fetch({ url: server.url }, never);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from("arrived") });
  });
});
