import { fakeResolve } from "@quarry/net/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWebhookUrlCheck } from "./check-webhook-url.ts";

const resolve = fakeResolve({ "good.example": [["93.184.216.34"]], "inner.example": [["10.0.0.5"]] });

function check(url: string, allowPrivateHosts: readonly string[] = []): Promise<void> {
  const urls = createWebhookUrlCheck({ allowPrivateHosts, resolve });
  onTestFinished(urls.close);
  return urls.check(url, new AbortController().signal);
}

describe("the check of a webhook's URL", () => {
  it("takes public ones, and ones whose name nobody knows yet", async () => {
    await check("https://good.example/hook");
    await check("http://good.example:8080/hook?a=b");
    await check("https://not-yet.example/hook");
  });

  it.each([
    ["http://inner.example/", "QUARRY_ALLOW_PRIVATE_HOSTS"],
    ["http://127.0.0.1:3000/", "QUARRY_ALLOW_PRIVATE_HOSTS"],
    ["http://[::1]/", "QUARRY_ALLOW_PRIVATE_HOSTS"],
    ["http://localhost/", "QUARRY_ALLOW_PRIVATE_HOSTS"],
    ["http://2130706433/", "QUARRY_ALLOW_PRIVATE_HOSTS"],
    ["ftp://good.example/", "only http: and https: are"],
    ["javascript:alert(1)", "only http: and https: are"],
    ["https://user:word@good.example/", "remove them"],
    ["good.example/hook", "write it whole"],
  ])("refuses %s and says what to do", async (url, words) => {
    await expect(check(url)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(words) as string,
      details: { field: "url" },
    });
  });

  it("takes private ones that the operator opened", async () => {
    await check("http://127.0.0.1:3000/hook", ["127.0.0.1"]);
    await check("http://inner.example/hook", ["inner.example"]);
  });
});
