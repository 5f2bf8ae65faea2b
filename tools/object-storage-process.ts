import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** Object storage on loopback: where it is, and what the environment of a process needs to use it. */
export interface ObjectStorage {
  readonly endpoint: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

interface S3Server {
  readonly run: () => Promise<{ readonly port: number }>;
  readonly close: () => Promise<void>;
}
/** The package has no types. */
type MakeS3Server = new (options: Readonly<Record<string, unknown>>) => S3Server;

/**
 * Starts an S3 API (npm `s3rver`) in a temporary directory, behind a proxy that does as Amazon's does where s3rver does
 * not: it ignores `If-None-Match: *` and writes over what is there, while the engine's commits rest on the refusal (seen:
 * two writers at once lost 10 of 21 rows); and its listing by folder leaves out folders that hold nothing but folders,
 * as every table of the engine is.
 */
export async function startObjectStorage(buckets: readonly string[]): Promise<ObjectStorage> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-s3-"));
  const require = createRequire(path.resolve("tests", "package.json"));
  const Server = require("s3rver") as MakeS3Server;
  const server = new Server({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  });
  const { port } = await server.run();
  const proxy = http.createServer(correct(directory, port));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    endpoint,
    environment: {
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL: endpoint,
    },
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const OBJECT_SUFFIX = "._S3rver_object";

function correct(directory: string, port: number): http.RequestListener {
  /** The last conditional write of each key: the next one looks when it has ended. */
  const writes = new Map<string, Promise<void>>();
  return (request, response) => {
    const place = decodeURIComponent((request.url ?? "/").split("?")[0] ?? "");
    const query = new URL(request.url ?? "/", "http://localhost").searchParams;
    if (request.method === "GET" && query.get("list-type") === "2" && query.get("delimiter") === "/") {
      const prefix = query.get("prefix") ?? "";
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(listFolder(path.join(directory, place), prefix));
      return;
    }
    const forward = (): Promise<void> => passOn(port, request, response);
    if (request.method !== "PUT" || request.headers["if-none-match"] !== "*") {
      void forward();
      return;
    }
    const before = writes.get(place) ?? Promise.resolve();
    const write = before.then(async () => {
      if (!existsSync(path.join(directory, `${place}${OBJECT_SUFFIX}`))) return forward();
      request.resume();
      response.writeHead(412, { "content-type": "application/xml" });
      response.end("<Error><Code>PreconditionFailed</Code></Error>");
      return undefined;
    });
    writes.set(place, write);
    void write.finally(() => {
      if (writes.get(place) === write) writes.delete(place);
    });
  };
}

/** What lies right below a prefix that ends with a slash, in the words of ListObjectsV2. */
function listFolder(bucket: string, prefix: string): string {
  const folder = path.join(bucket, prefix);
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const folders = entries
    .filter((entry) => entry.isDirectory() && holdsObjects(path.join(folder, entry.name)))
    .map(({ name }) => `<CommonPrefixes><Prefix>${prefix}${name}/</Prefix></CommonPrefixes>`);
  const objects = entries
    .filter(({ name }) => name.endsWith(OBJECT_SUFFIX))
    .map(({ name }) => {
      const { size, mtime } = statSync(path.join(folder, name));
      const key = `${prefix}${name.slice(0, -OBJECT_SUFFIX.length)}`;
      const modified = mtime.toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><ETag>"-"</ETag><Size>${size}</Size></Contents>`;
    });
  const found = [...objects, ...folders];
  return (
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Prefix>${prefix}</Prefix><Delimiter>/</Delimiter>` +
    `<KeyCount>${found.length}</KeyCount><IsTruncated>false</IsTruncated>${found.join("")}</ListBucketResult>`
  );
}

function holdsObjects(folder: string): boolean {
  return readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(OBJECT_SUFFIX));
}

/** Resolves when the answer is through, or nobody wants it any more. */
function passOn(port: number, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const { method, url, headers } = request;
    const onward = http.request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on("close", resolve);
    onward.on("error", () => response.destroy()); // a client that was killed, or a server that is being closed
    request.on("aborted", () => onward.destroy());
    request.pipe(onward);
  });
}
