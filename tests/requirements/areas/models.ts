import { requirements } from "../requirement.ts";

/** What the models part promises. */
export const modelsRequirements = requirements({
  "issue 6 models": {
    "models:llm:openai-compatible": "any OpenAI-compatible chat endpoint can be set by URL, key and model",
    "models:llm:streaming": "replies can be streamed",
    "models:llm:usage-counted": "tokens used are counted",
    "models:llm:abort": "an abort stops the request",
    "models:llm:retries": "retries follow the server's word",
    "models:llm:timeout": "a slow reply is cut off",
    "models:llm:token-budget": "the token budget fixed before a run is never passed",
    "models:llm:money-budget": "the money budget fixed before a run is never passed",
    "models:llm:json-repaired": "slightly broken JSON is repaired",
    "models:llm:json-validated": "JSON is validated against the caller's schema",
    "models:llm:bad-schema": "a bad schema is a 400 INVALID_JSON_SCHEMA",
    "models:llm:cut-off-reply": "a reply that is cut off is an error, not half an answer",
    "models:llm:malformed-reply": "a malformed reply is an error that can be retried",
    "models:llm:hostile-reply": "a hostile reply cannot bring in unsupported claims or calls",
    "models:llm:page-text-fenced": "page text enters prompts inside fences marked untrusted",
    "models:llm:prompts-in-files": "prompts are files beside their code",
    "models:absent:normal": "no model set is a normal state, and the reply says which mode it was",
    "models:absent:warning": "where free generation was asked for, the extractive result carries a warning",
  },
});
