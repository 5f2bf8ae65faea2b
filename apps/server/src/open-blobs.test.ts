import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { createSnapshotStore } from "@quarry/ingest";
import { useServer } from "@quarry/net/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBlobs, type OpenBlobs } from "./open-blobs.ts";

/** What s3rver's constructor makes; the package has no types. */
interface S3Server {
  readonly run: () => Promise<{ readonly port: number }>;
  readonly close: () => Promise<void>;
}
type MakeS3Server = new (options: Readonly<Record<string, unknown>>) => S3Server;

const KEYS = { aws_access_key_id: "S3RVER", aws_secret_access_key: "S3RVER", aws_region: "us-east-1" };

/** Object storage on loopback; how requests are signed is held to Amazon's own examples in sign-request.test.ts. */
async function useS3(): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-s3-"));
  const Server = createRequire(import.meta.url)("s3rver") as MakeS3Server;
  const configureBuckets = [{ name: "quarry" }];
  const server = new Server({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets });
  const { port } = await server.run();
  onTestFinished(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}`;
}

function useBlobs(blobUrl: string, storage: Readonly<Record<string, string>>): OpenBlobs {
  const blobs = openBlobs({ blobUrl, dataDir: tmpdir() }, storage);
  onTestFinished(() => blobs.close());
  return blobs;
}

async function keysBelow({ store }: OpenBlobs, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys.sort();
}

describe("blobs on object storage", () => {
  verifies("store:blobs:object-storage", "are kept, replaced, listed and forgotten as in a directory", async () => {
    const blobs = useBlobs("s3://quarry/some/prefix", { ...KEYS, aws_endpoint: await useS3() });
    const { store } = blobs;
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    await store.put("snapshots/ab/one.gz", Buffer.from("before"));
    await store.put("snapshots/ab/one.gz", bytes);
    await store.put("uploads/empty", new Uint8Array());
    expect(Buffer.compare((await store.get("snapshots/ab/one.gz")) ?? new Uint8Array(), bytes)).toBe(0);
    expect(await store.get("uploads/empty")).toHaveLength(0);
    expect([await store.has("uploads/empty"), await store.has("uploads/none")]).toEqual([true, false]);
    expect(await store.get("uploads/none")).toBeUndefined();
    expect(await keysBelow(blobs, "")).toEqual(["snapshots/ab/one.gz", "uploads/empty"]);
    expect(await keysBelow(blobs, "uploads")).toEqual(["uploads/empty"]);
    await store.delete("uploads/empty");
    await store.delete("uploads/empty");
    expect(await keysBelow(blobs, "uploads")).toEqual([]);
    await expect((async () => store.put("../up", bytes))()).rejects.toThrow("not a blob key");
    const other = useBlobs("s3://quarry/other", { ...KEYS, aws_endpoint: await useS3() });
    expect(await keysBelow(other, "")).toEqual([]);
  });

  it("hold snapshots", async () => {
    const blobs = useBlobs("s3://quarry", { ...KEYS, aws_endpoint: await useS3() });
    const snapshots = createSnapshotStore(blobs.store);
    const id = await snapshots.put(Buffer.from("<p>a page</p>"));
    expect(Buffer.from((await snapshots.get(id)) ?? []).toString()).toBe("<p>a page</p>");
    const [key = ""] = await keysBelow(blobs, "snapshots");
    expect(gunzipSync((await blobs.store.get(key)) ?? new Uint8Array()).toString()).toBe("<p>a page</p>");
  });

  it("are listed whole, however many replies that takes", async () => {
    const asked: (string | null)[] = [];
    const server = await useServer((request, response) => {
      const token = new URL(request.url ?? "", "http://x").searchParams.get("continuation-token");
      asked.push(token);
      const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=</NextContinuationToken>";
      const body = token === null ? `<Key>p/many/1</Key><Key>p/many/2</Key>${more}` : "<Key>p/many/3</Key>";
      response.writeHead(200).end(`<ListBucketResult>${body}</ListBucketResult>`);
    });
    const blobs = useBlobs("s3://quarry/p", { ...KEYS, aws_endpoint: server.url });
    expect(await keysBelow(blobs, "many")).toEqual(["many/1", "many/2", "many/3"]);
    expect(asked).toEqual([null, "a&b="]);
  });

  it("are asked for by signed requests, again after a passing failure", async () => {
    const seen: { readonly method: string | undefined; readonly authorization: string | undefined }[] = [];
    const server = await useServer(({ method, headers }, response) => {
      seen.push({ method, authorization: headers.authorization });
      response.writeHead(seen.length === 1 ? 503 : 200).end();
    });
    const blobs = useBlobs("s3://quarry", { ...KEYS, aws_endpoint: server.url });
    await blobs.store.put("a", Buffer.from("x"));
    const authorization = expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=S3RVER\//) as string;
    expect(seen).toEqual([
      { method: "PUT", authorization },
      { method: "PUT", authorization },
    ]);
  });

  it("say what is wrong: keys, bucket, address, settings", async () => {
    const endpoint = await useS3();
    const noBucket = useBlobs("s3://nowhere", { ...KEYS, aws_endpoint: endpoint });
    await expect(noBucket.store.put("a", Buffer.from("x"))).rejects.toThrow("404 NoSuchBucket");
    expect(() => openBlobs({ blobUrl: "s3://quarry", dataDir: "/" }, {})).toThrow("AWS_ACCESS_KEY_ID");
    expect(() => openBlobs({ blobUrl: "gs://quarry", dataDir: "/" }, KEYS)).toThrow("s3://bucket/prefix");
    expect(() => openBlobs({ blobUrl: "s3://", dataDir: "/" }, KEYS)).toThrow("names no bucket");
  });
});
