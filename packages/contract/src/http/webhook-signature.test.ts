import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeWebhookSecret, signWebhook } from "./webhook-signature.ts";

const body = '{"id":"event_1","text":"naïve – 日本"}';

/** The function that docs/webhooks.md gives to whoever receives our deliveries. */
async function readExample(): Promise<(rawBody: Buffer, header: string, secret: string) => boolean> {
  const page = readFileSync(new URL("../../../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly isGenuine: (rawBody: Buffer, header: string, secret: string) => boolean;
  };
  return module.isGenuine;
}

describe("signWebhook", () => {
  it("signs as published", () => {
    const at = new Date("2026-02-02T02:40:00.500Z");
    expect(signWebhook({ eventId: "event_1", at, body: "{}", secrets: ["whsec_c2VjcmV0"] })).toEqual({
      // By `printf '1770000000.{}' | openssl dgst -sha256 -hmac whsec_c2VjcmV0`, and with "event_1." before it and the key "secret".
      "exa-signature": "t=1770000000,v1=0918a195dbcb250429d6003824ae98aff88fbfee1b2309e811843947f385d378",
      "webhook-id": "event_1",
      "webhook-timestamp": "1770000000",
      "webhook-signature": "v1,cyUySb54RVgELMimUQ2qJt8ExYjSYsrqsdpW+Rm1bBI=",
    });
  });

  it("makes what the documents' example accepts, by either of two secrets and no other", async () => {
    const isGenuine = await readExample();
    const [one, two] = [makeWebhookSecret(), makeWebhookSecret()];
    const signed = signWebhook({ eventId: "event_1", at: new Date(), body, secrets: [one, two] });
    const header = signed["exa-signature"] ?? "";
    expect(isGenuine(Buffer.from(body), header, one)).toBe(true);
    expect(isGenuine(Buffer.from(body), header, two)).toBe(true);
    expect(isGenuine(Buffer.from(body), header, makeWebhookSecret())).toBe(false);
    expect(isGenuine(Buffer.from(`${body} `), header, one)).toBe(false);
    const old = signWebhook({ eventId: "event_1", at: new Date(Date.now() - 400_000), body, secrets: [one] });
    expect(isGenuine(Buffer.from(body), old["exa-signature"] ?? "", one)).toBe(false);
  });
});
