import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";

/** An image to go by. */
export interface ReferenceImage {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Draws images by a description. */
export interface ImageProvider {
  readonly draw: (
    wish: { readonly description: string; readonly references: readonly ReferenceImage[] },
    signal: AbortSignal,
  ) => Promise<Buffer>;
}

/** One exchange with the endpoint; the guarded dialer's own form. Rejects only when `signal` aborts. */
export type SendToProvider = (
  request: {
    readonly url: string;
    readonly method?: "GET" | "POST";
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    readonly limits?: { readonly headersMs?: number; readonly totalMs?: number; readonly idleBodyMs?: number };
  },
  signal: AbortSignal,
) => Promise<
  | { readonly kind: "reply"; readonly status: number; readonly body: AsyncIterable<Uint8Array> }
  | { readonly kind: "refused" | "failed"; readonly message: string }
>;

/** How long a picture may take. */
const DRAW_MS = 110_000;
const MAX_SAID = 300;

/** An endpoint that speaks as OpenAI's images do: `/images/generations`, and `/images/edits` with images to go by. */
export function createOpenAiImages(
  deps: { readonly send: SendToProvider },
  endpoint: { readonly url: string; readonly key: string | undefined; readonly model: string | undefined },
): ImageProvider {
  const base = endpoint.url.replace(/\/$/, "");
  const headers: Record<string, string> = endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` };
  const ask = async (path: string, body: { type: string; bytes: string | Uint8Array }, signal: AbortSignal) => {
    const reply = await deps.send(
      {
        url: `${base}${path}`,
        method: "POST",
        headers: { ...headers, "content-type": body.type },
        body: body.bytes,
        limits: { headersMs: DRAW_MS, idleBodyMs: DRAW_MS, totalMs: DRAW_MS },
      },
      signal,
    );
    return read(reply);
  };
  return {
    draw: async ({ description, references }, signal) => {
      const fields = {
        prompt: description,
        n: "1",
        ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
      };
      const said =
        references.length === 0
          ? await ask(
              "/images/generations",
              { type: "application/json", bytes: JSON.stringify({ ...fields, n: 1 }) },
              signal,
            )
          : await ask("/images/edits", toForm(fields, references), signal);
      const image = firstImage(said);
      if (image.kind === "bytes") return image.bytes;
      return bytesOf(await deps.send({ url: image.url }, signal), "the image it made");
    },
  };
}

type Reply = Awaited<ReturnType<SendToProvider>>;

async function read(reply: Reply): Promise<JsonObject> {
  const text = (await bytesOf(reply, "the images endpoint", { isJson: true })).toString("utf8");
  try {
    return JSON.parse(text) as JsonObject; // looked at field by field
  } catch (cause) {
    throw new AppError("upstream_failed", "the images endpoint did not answer with JSON", { cause });
  }
}

async function bytesOf(reply: Reply, what: string, options: { readonly isJson?: boolean } = {}): Promise<Buffer> {
  if (reply.kind !== "reply") {
    throw new AppError("upstream_failed", `${what} could not be had: ${reply.message}`, { retryable: true });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (reply.status >= 200 && reply.status < 300) return bytes;
  const said = options.isJson === true ? `: ${bytes.toString("utf8").slice(0, MAX_SAID)}` : "";
  throw new AppError("upstream_failed", `${what} answered ${reply.status}${said}`, {
    retryable: reply.status === 429 || reply.status >= 500,
  });
}

function firstImage(
  said: JsonObject,
): { readonly kind: "bytes"; readonly bytes: Buffer } | { readonly kind: "url"; readonly url: string } {
  const [first] = Array.isArray(said["data"]) ? said["data"] : [];
  const image = typeof first === "object" && first !== null && !Array.isArray(first) ? first : {};
  const { b64_json: encoded, url } = image;
  if (typeof encoded === "string" && encoded !== "") return { kind: "bytes", bytes: Buffer.from(encoded, "base64") };
  if (typeof url === "string" && /^https?:/.test(url)) return { kind: "url", url };
  throw new AppError("upstream_failed", "the images endpoint answered without an image");
}

function toForm(
  fields: Readonly<Record<string, string>>,
  references: readonly ReferenceImage[],
): { readonly type: string; readonly bytes: Uint8Array } {
  const boundary = `quarry-${randomBytes(12).toString("hex")}`;
  const part = (disposition: string, body: Buffer, type?: string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`),
      Buffer.from(type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`),
      body,
      Buffer.from("\r\n"),
    ]);
  const parts = [
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, Buffer.from(value))),
    ...references.map(({ name, mediaType, bytes }) =>
      part(`name="image[]"; filename="${name.replaceAll(/[^\w.-]/g, "_")}"`, bytes, mediaType),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}
