import path from "node:path";
import { AppError, systemClock } from "@quarry/base";
import type { Config } from "@quarry/config";
import { createTrustedDialer, readBody } from "@quarry/net";
import {
  baseUrl,
  createDirectoryBlobStore,
  createS3BlobStore,
  parseS3Url,
  type BlobStore,
  type SendToStorage,
} from "@quarry/store";

/** Where blobs lie, and what to close with it. */
export interface OpenBlobs {
  readonly store: BlobStore;
  readonly close: () => Promise<void>;
}

/** The largest blob: an upload, or a page of the largest size with room to spare. */
const MAX_BLOB_BYTES = 256 * 1024 * 1024;
const TOTAL_MS = 120_000;
/** What other services than AWS expect, and AWS when nobody says. */
const DEFAULT_REGION = "us-east-1";

/**
 * Opens the place that `QUARRY_BLOB_URL` names: a directory, a bucket, or the data directory when it names none.
 * `storage` is what `readObjectStorage` found.
 */
export function openBlobs(
  config: Pick<Config, "blobUrl" | "dataDir">,
  storage: Readonly<Record<string, string>>,
): OpenBlobs {
  const { blobUrl } = config;
  if (blobUrl === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(blobUrl)) {
    const directory = blobUrl ?? path.join(config.dataDir, "blobs");
    return { store: createDirectoryBlobStore(directory), close: () => Promise.resolve() };
  }
  if (!blobUrl.startsWith("s3://")) {
    throw new AppError("invalid_request", "QUARRY_BLOB_URL: snapshots can lie in a directory or at s3://bucket/prefix");
  }
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_endpoint: endpoint } = storage;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new AppError(
      "invalid_request",
      "QUARRY_BLOB_URL names object storage: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY " +
        "(and AWS_ENDPOINT_URL where it is not AWS)",
    );
  }
  const { aws_session_token: sessionToken, aws_region: region = DEFAULT_REGION } = storage;
  const credentials = { accessKeyId, secretAccessKey, sessionToken, region };
  const place = { ...parseS3Url(blobUrl), endpoint, credentials };
  const dialer = createTrustedDialer([baseUrl(place)]);
  const send: SendToStorage = async (request) => {
    const limits = { maxBytes: MAX_BLOB_BYTES, maxWireBytes: MAX_BLOB_BYTES, totalMs: TOTAL_MS };
    const reply = await dialer.fetch(
      { ...request, redirects: "manual", decoding: "raw", limits },
      AbortSignal.timeout(TOTAL_MS),
    );
    if (reply.kind === "failed") throw reply.error;
    if (reply.kind === "refused") throw new AppError("unprocessable", `object storage: ${reply.message}`);
    const body = await readBody(reply);
    if (body.kind === "failed") throw body.error;
    if (body.kind === "refused") throw new AppError("unprocessable", `object storage: ${body.message}`);
    return { status: reply.status, body: body.bytes };
  };
  return { store: createS3BlobStore(place, { send, now: systemClock.now }), close: dialer.close };
}
