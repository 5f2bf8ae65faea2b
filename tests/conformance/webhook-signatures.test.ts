import { signWebhook, makeWebhookSecret } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, vi } from "vitest";

/** The example of the Standard Webhooks specification. */
const VECTOR = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  seconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
} as const;
const TOLERANCE_MS = 300_000;

afterEach(() => void vi.useRealTimers());

verifies(
  "promises:t11:signatures",
  "the signature vector of Standard Webhooks passes, with two secrets and clocks five minutes off",
  () => {
    const at = new Date(VECTOR.seconds * 1_000);
    const { id: eventId, body, secret } = VECTOR;
    expect(signWebhook({ eventId, at, body, secrets: [secret] })["webhook-signature"]).toBe(VECTOR.signature);

    const fresh = makeWebhookSecret();
    const rotated = { ...signWebhook({ eventId, at, body, secrets: [secret, fresh] }) };
    vi.useFakeTimers({ now: at });
    for (const known of [secret, fresh]) expect(new Webhook(known).verify(body, rotated)).toEqual(JSON.parse(body));
    expect(() => new Webhook(makeWebhookSecret()).verify(body, rotated)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, rotated)).toThrow();
    for (const offMs of [-TOLERANCE_MS, TOLERANCE_MS]) {
      vi.setSystemTime(at.getTime() + offMs);
      expect(new Webhook(secret).verify(body, rotated)).toEqual(JSON.parse(body));
      vi.setSystemTime(at.getTime() + offMs * 1.01);
      expect(() => new Webhook(secret).verify(body, rotated)).toThrow();
    }
  },
);
