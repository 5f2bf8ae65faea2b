import { createHash, createHmac } from "node:crypto";

/** What a request is signed with. */
export interface ObjectStorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

/** A request to be signed; the URL in the form in which it is sent. */
export interface RequestToSign {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly url: URL;
  readonly body: Uint8Array;
}

const SERVICE = "s3";

/** The headers that AWS Signature Version 4 adds to a request to object storage. */
export function signRequest(
  { method, url, body }: RequestToSign,
  credentials: ObjectStorageCredentials,
  now: Date,
): Readonly<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const added: Record<string, string> = {
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": time,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }),
  };
  // The host is signed, and set by whoever sends the request.
  const signed: Readonly<Record<string, string>> = { ...added, host: url.host };
  const names = Object.keys(signed).sort();
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${signed[name] ?? ""}`),
    "",
    names.join(";"),
    bodyHash,
  ].join("\n");
  const scope = `${day}/${credentials.region}/${SERVICE}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = [day, credentials.region, SERVICE, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([one, first], [other, second]) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
