import { AppError } from "@quarry/base";
import { openReply } from "../api-client.ts";
import type { Check, Finding } from "./check.ts";

const TIMEOUT_MS = 5_000;

/** Whether the model endpoints that are set answer; to have none is fine. */
export const checkModels: Check = async ({ config, signal }) => [
  await lookAt("language model", "QUARRY_LLM", config.llmUrl, config.llmKey, signal),
  await lookAt("embeddings", "QUARRY_EMBED", config.embedUrl, config.embedKey, signal),
];

async function lookAt(
  check: string,
  variable: string,
  url: string | undefined,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  if (url === undefined) {
    return { check, status: "info", detail: `none set (${variable}_URL); Quarry works without, from its own models` };
  }
  try {
    const request = { method: "GET", path: "/models", timeoutMs: TIMEOUT_MS } as const;
    (await openReply({ url, key }, request, signal)).destroy();
    return { check, status: "ok", detail: `${new URL(url).host} answers` };
  } catch (error) {
    signal.throwIfAborted();
    const { code } = AppError.from(error);
    const { host } = new URL(url);
    if (code === "unauthenticated" || code === "forbidden") {
      return { check, status: "fail", detail: `${host} refuses the key`, fix: `set ${variable}_KEY to a valid one` };
    }
    if (code === "unavailable" || code === "timeout") {
      return { check, status: "fail", detail: `${host} does not answer`, fix: `start it, or correct ${variable}_URL` };
    }
    return {
      check,
      status: "warn",
      detail: `${host} answers, but does not list its models`,
      fix: `see that ${variable}_URL ends where /chat/completions begins, often in /v1`,
    };
  }
}
