import type { Config } from "@quarry/config";
import { createMiniLmEmbedder, createOpenAiEmbedder, MINILM, type Embedder } from "@quarry/models";
import { createTrustedDialer } from "@quarry/net";

/** The embeddings endpoint that the operator set. */
export interface EmbedEndpoint {
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
}

/** Which model makes vectors here, and how to load it. */
export interface ChosenEmbedder {
  readonly model: string;
  readonly dimensions: number;
  readonly load: () => Promise<Embedder>;
  /** Undefined when the embedded model is used. */
  readonly endpoint: EmbedEndpoint | undefined;
}

/**
 * The model of `QUARRY_EMBED_URL`, or the embedded one. An endpoint is asked at once how long its vectors are, since the index
 * must know: a server whose endpoint does not answer does not start, and says why.
 */
export async function chooseEmbedder(config: Config): Promise<ChosenEmbedder> {
  if (config.embedUrl === undefined) {
    const { model, dimensions } = MINILM;
    return { model, dimensions, load: createMiniLmEmbedder, endpoint: undefined };
  }
  const endpoint = { url: config.embedUrl, key: config.embedKey, model: config.embedModel ?? "default" };
  const embedder = await connectEmbedder(endpoint);
  const { model, dimensions } = embedder;
  return { model, dimensions, load: () => Promise.resolve(embedder), endpoint };
}

/** Connects to an embeddings endpoint. */
export async function connectEmbedder(endpoint: EmbedEndpoint): Promise<Embedder> {
  const { url, key, model } = endpoint;
  const dialer = createTrustedDialer([url]);
  try {
    const embedder = await createOpenAiEmbedder({ fetch: dialer.fetch }, { endpoint: { url, key }, model });
    return { ...embedder, close: dialer.close };
  } catch (error) {
    await dialer.close();
    throw error;
  }
}
