import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret, in the form that both schemes below take: `whsec_` and base64. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * The headers that prove a delivery, by both schemes. Exa's: hexadecimal HMAC-SHA256 over `t.body`, keyed with the
 * secret as it is written. Standard Webhooks': base64 over `id.t.body`, keyed with the bytes the secret stands for.
 * While two secrets count both sign, and a verifier accepts either.
 */
export function signWebhook(delivery: {
  readonly eventId: string;
  readonly at: Date;
  readonly body: string;
  readonly secrets: readonly string[];
}): Readonly<Record<string, string>> {
  const { eventId, body, secrets } = delivery;
  const seconds = Math.floor(delivery.at.getTime() / 1_000);
  const exa = secrets.map((secret) => `v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`);
  const standard = secrets.map(
    (secret) => `v1,${createHmac("sha256", keyOf(secret)).update(`${eventId}.${seconds}.${body}`).digest("base64")}`,
  );
  return {
    "exa-signature": [`t=${seconds}`, ...exa].join(","),
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard.join(" "),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, "base64");
}
