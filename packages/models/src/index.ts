export type { Embedder } from "./embedder.ts";
export { createFakeEmbedder } from "./fake-embedder.ts";
export { createMiniLmEmbedder } from "./minilm/minilm-embedder.ts";
export { MINILM } from "./minilm/model-files.ts";
export { createThreadedEmbedder } from "./minilm/threaded-embedder.ts";
export { createOpenAiEmbedder } from "./openai/openai-embedder.ts";
export type { ModelEndpoint } from "./openai/post-json.ts";
