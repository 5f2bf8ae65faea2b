import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/**
 * Says what is wrong with a delivery, or undefined. Written from the published description of Exa's signature alone,
 * and sharing no code with what signs: `Exa-Signature: t=<unix seconds>,v1=<hex>[,v1=<hex>]`, where v1 is the
 * HMAC-SHA256 of `<t>.<raw body>` under the secret as it was given.
 */
export function findFault(
  delivery: { readonly header: string | undefined; readonly rawBody: Buffer },
  secret: string,
  now: Date,
): string | undefined {
  if (delivery.header === undefined) return "there is no Exa-Signature";
  let timestamp: string | undefined;
  const signatures: string[] = [];
  for (const pair of delivery.header.split(",")) {
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (name === "t") timestamp = value;
    if (name === "v1") signatures.push(value);
  }
  if (timestamp === undefined || !/^[0-9]+$/.test(timestamp)) return "t is missing or not a number";
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return "t is too far from now";
  const message = Buffer.concat([Buffer.from(`${timestamp}.`, "utf8"), delivery.rawBody]);
  const expected = createHmac("sha256", Buffer.from(secret, "utf8")).update(message).digest("hex");
  const isRight = signatures.some(
    (signature) =>
      signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected)),
  );
  return isRight ? undefined : "no v1 fits the secret";
}
