import { AppError, sleep } from "@quarry/base";
import type { BlobStore } from "./blob-store.ts";
import { requireBlobKey } from "./blob-key.ts";
import { signRequest, type ObjectStorageCredentials } from "./sign-request.ts";

/** Sends one request, whole; rejects when there is no answer. Server wiring makes it of the trusted dialer. */
export type SendToStorage = (request: {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

/** A bucket of object storage that speaks S3. */
export interface S3Place {
  readonly bucket: string;
  /** Before every key; without slashes at its ends. */
  readonly prefix: string;
  /** Of another service than AWS; buckets are then part of the path. */
  readonly endpoint?: string | undefined;
  readonly credentials: ObjectStorageCredentials;
}

const MAX_TRIES = 4;
const FIRST_WAIT_MS = 200;
const NOTHING = new Uint8Array();

/** Reads `s3://bucket/prefix`; throws `invalid_request` for anything else. */
export function parseS3Url(text: string): Pick<S3Place, "bucket" | "prefix"> {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  const [, bucket, rest = ""] = match ?? [];
  if (bucket === undefined) {
    throw new AppError("invalid_request", `${text} names no bucket; write it like s3://bucket/prefix`);
  }
  return { bucket, prefix: rest.replaceAll(/^\/+|(?<!\/)\/+$/g, "") };
}

/** A blob store in a bucket: a PUT is whole or not at all, and its hash is checked at the far end. */
export function createS3BlobStore(
  place: S3Place,
  deps: { readonly send: SendToStorage; readonly now: () => Date; readonly wait?: (waitMs: number) => Promise<void> },
): BlobStore {
  const wait = deps.wait ?? ((waitMs: number) => sleep(waitMs));
  const base = baseUrl(place);
  const objectUrl = (key: string): URL => new URL(`${base}/${nameOf(place, key)}`);

  /** Asks until there is an answer that is not a passing failure. */
  const ask = async (
    method: "GET" | "HEAD" | "PUT" | "DELETE",
    url: URL,
    body: Uint8Array = NOTHING,
  ): Promise<{ readonly status: number; readonly body: Uint8Array }> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const headers = signRequest({ method, url, body }, place.credentials, deps.now());
        const reply = await deps.send({ method, url: url.href, headers, ...(method === "PUT" ? { body } : {}) });
        const isPassing = reply.status >= 500 || reply.status === 429;
        if (!isPassing || attempt >= MAX_TRIES) return reply;
      } catch (thrown) {
        if (attempt >= MAX_TRIES || !AppError.from(thrown).retryable) throw thrown;
      }
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  };

  return {
    put: async (key, bytes) => {
      const reply = await ask("PUT", objectUrl(key), bytes);
      if (reply.status !== 200) throw refusal("write", key, reply);
    },
    get: async (key) => {
      const reply = await ask("GET", objectUrl(key));
      if (reply.status === 404) return undefined;
      if (reply.status !== 200) throw refusal("read", key, reply);
      return reply.body;
    },
    has: async (key) => {
      const reply = await ask("HEAD", objectUrl(key));
      if (reply.status === 404) return false;
      if (reply.status !== 200) throw refusal("look for", key, reply);
      return true;
    },
    delete: async (key) => {
      const reply = await ask("DELETE", objectUrl(key));
      if (reply.status !== 204 && reply.status !== 200 && reply.status !== 404) throw refusal("delete", key, reply);
    },
    list: async function* (prefix) {
      const below = prefix.replaceAll(/^\/+|(?<!\/)\/+$/g, "");
      const start = [place.prefix, below].filter((part) => part !== "").join("/");
      const cut = place.prefix === "" ? 0 : place.prefix.length + 1;
      for (let token: string | undefined; ;) {
        const url = new URL(`${base}/`);
        url.searchParams.set("list-type", "2");
        url.searchParams.set("prefix", start === "" ? "" : `${start}/`);
        if (token !== undefined) url.searchParams.set("continuation-token", token);
        const reply = await ask("GET", url);
        if (reply.status !== 200) throw refusal("list", prefix, reply);
        const xml = Buffer.from(reply.body).toString("utf8");
        for (const [, name = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescapeXml(name).slice(cut);
        token = /<IsTruncated>true<\/IsTruncated>/.test(xml)
          ? unescapeXml(/<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml)?.[1] ?? "")
          : undefined;
        if (token === undefined || token === "") return;
      }
    },
  };
}

/** Where the storage answers: what the dialer of its requests must be allowed to reach. */
export function baseUrl({ bucket, endpoint, credentials }: Omit<S3Place, "prefix">): string {
  if (endpoint !== undefined) return `${endpoint.replace(/(?<!\/)\/+$/, "")}/${bucket}`;
  return `https://${bucket}.s3.${credentials.region}.amazonaws.com`;
}

function nameOf({ prefix }: S3Place, key: string): string {
  const name = requireBlobKey(key);
  return prefix === "" ? name : `${prefix}/${name}`;
}

function unescapeXml(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}

function refusal(
  doing: string,
  key: string,
  { status, body }: { readonly status: number; readonly body: Uint8Array },
): AppError {
  const reason = /<Code>([^<]{1,100})<\/Code>/.exec(Buffer.from(body).toString("utf8"))?.[1];
  const said = reason === undefined ? String(status) : `${status} ${reason}`;
  return new AppError(
    "upstream_failed",
    `object storage answered ${said} when asked to ${doing} ${key || "everything"}`,
    {
      retryable: status >= 500 || status === 429,
    },
  );
}
