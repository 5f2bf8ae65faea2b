import { AppError } from "@quarry/base";
import type { Embedder } from "../embedder.ts";
import { postJson, type ModelEndpoint, type PostDeps } from "./post-json.ts";

/** Texts sent in one request: what every known server takes. */
const TEXTS_PER_REQUEST = 64;
const TIMEOUT_MS = 60_000;

/**
 * An embedder behind `POST /embeddings` of any OpenAI-compatible server (`QUARRY_EMBED_URL`). Asks once how long the model's
 * vectors are, so it fails here and not at the first search when the address, key or model is wrong.
 */
export async function createOpenAiEmbedder(
  deps: PostDeps,
  options: { readonly endpoint: ModelEndpoint; readonly model: string },
  signal: AbortSignal = new AbortController().signal,
): Promise<Embedder> {
  const [probe] = await embedBatch(deps, options, ["How long are your vectors?"], signal);
  const dimensions = probe?.length ?? 0;
  return {
    model: `${options.model}@${new URL(options.endpoint.url).host}`,
    dimensions,
    embed: async (texts, innerSignal = new AbortController().signal) => {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_REQUEST) {
        const batch = texts.slice(start, start + TEXTS_PER_REQUEST);
        for (const vector of await embedBatch(deps, options, batch, innerSignal)) {
          if (vector.length !== dimensions) throw badReply(options, `vectors of ${vector.length} numbers`);
          vectors.push(vector);
        }
      }
      return vectors;
    },
    close: () => Promise.resolve(),
  };
}

async function embedBatch(
  deps: PostDeps,
  options: { readonly endpoint: ModelEndpoint; readonly model: string },
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const body = { model: options.model, input: texts, encoding_format: "float" };
  const reply = await postJson(
    deps,
    { endpoint: options.endpoint, path: "embeddings", body, timeoutMs: TIMEOUT_MS },
    signal,
  );
  const data: unknown = typeof reply === "object" && reply !== null && "data" in reply ? reply.data : undefined;
  if (!Array.isArray(data) || data.length !== texts.length) {
    throw badReply(options, `not one vector for each of ${texts.length} texts`);
  }
  const vectors = new Array<Float32Array | undefined>(texts.length);
  for (const [place, entry] of (data as readonly unknown[]).entries()) {
    const { index, vector } = readEntry(entry, place);
    if (vector === undefined) throw badReply(options, "an entry without numbers in `embedding`");
    vectors[index] = toUnitLength(vector);
  }
  return vectors.map((vector) => {
    if (vector === undefined) throw badReply(options, "two vectors with the same index");
    return vector;
  });
}

/** Servers may answer out of order and then say so by `index`. */
function readEntry(
  entry: unknown,
  place: number,
): { readonly index: number; readonly vector: readonly number[] | undefined } {
  if (typeof entry !== "object" || entry === null) return { index: place, vector: undefined };
  const { index, embedding } = entry as { readonly index?: unknown; readonly embedding?: unknown };
  const isVector =
    Array.isArray(embedding) && embedding.length > 0 && embedding.every((value) => Number.isFinite(value));
  return {
    index: typeof index === "number" ? index : place,
    vector: isVector ? (embedding as readonly number[]) : undefined,
  };
}

function toUnitLength(vector: readonly number[]): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

function badReply(options: { readonly endpoint: ModelEndpoint }, what: string): AppError {
  return new AppError("upstream_failed", `the embeddings endpoint at ${options.endpoint.url} sent ${what}`);
}
