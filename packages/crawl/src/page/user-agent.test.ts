import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDialer } from "@quarry/net";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { getByDialer } from "./dial-get.ts";
import { crawlerUserAgent } from "./user-agent.ts";

verifies("crawl:fetch:user-agent", "a request says who asks, and where to read about it", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["user-agent"]);
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const userAgent = crawlerUserAgent("1.2.3", "https://quarry.example.com");
  const dialer = createDialer({ allowPrivateHosts: ["127.0.0.1"], userAgent });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await getByDialer(dialer.fetch)({ url, headers: {}, maxBytes: 100 }, new AbortController().signal);
  } finally {
    await dialer.close();
    server.close();
  }
  expect(seen).toEqual(["QuarryBot/1.2.3 (+https://quarry.example.com/docs; web index of one team; obeys robots.txt)"]);
});

it("names no address where there is none that others can reach", () => {
  expect(crawlerUserAgent("1.2.3", undefined)).toBe("QuarryBot/1.2.3 (web index of one team; obeys robots.txt)");
});
