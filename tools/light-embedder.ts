import { createFakeEmbedder } from "@quarry/models";
import { startTestModelServer } from "@quarry/models/testing";

const MODEL = "words";

/** Vectors without a model: an endpoint for servers under test that start quickly and rank the same each time. */
export interface LightEmbedder {
  /** What a server needs to use it. */
  readonly settings: { readonly QUARRY_EMBED_URL: string; readonly QUARRY_EMBED_MODEL: string };
  readonly close: () => Promise<void>;
}

/**
 * Starts an embeddings endpoint in this process whose vectors follow from words alone. A server that uses it loads no model,
 * which costs it seconds of both cores; for tests that are not about meaning.
 */
export async function startLightEmbedder(): Promise<LightEmbedder> {
  const embedder = createFakeEmbedder();
  const server = await startTestModelServer(({ body }, response) => {
    response.setHeader("content-type", "application/json");
    const texts = body["input"] as readonly string[] | undefined;
    if (texts === undefined) {
      response.end(JSON.stringify({ data: [{ id: MODEL }] })); // which models there are
      return;
    }
    void embedder.embed(texts).then((vectors) => {
      response.end(JSON.stringify({ data: vectors.map((vector, index) => ({ index, embedding: [...vector] })) }));
    });
  });
  return {
    settings: { QUARRY_EMBED_URL: server.url, QUARRY_EMBED_MODEL: MODEL },
    close: server.close,
  };
}
