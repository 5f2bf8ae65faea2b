import { readFile, rename, writeFile } from "node:fs/promises";
import { AppError } from "@quarry/base";
import { CONFIG_FILE_NAME, type Config } from "@quarry/config";
import type { ModelEndpointWish, SetupDeps } from "@quarry/doors";
import { createOpenAiLlm } from "@quarry/models";
import { createTrustedDialer } from "@quarry/net";

/** A model that has to be loaded first may take this long; nobody watches a form for longer. */
const TEST_TIMEOUT_MS = 30_000;
const MAX_TEST_TOKENS = 64;
const SHOWN_CHARACTERS = 200;
const MODEL_SETTINGS = ["llmUrl", "llmKey", "llmModel"] as const;

/** See `SetupDeps.testModel`. */
export async function testModel(endpoint: ModelEndpointWish, signal: AbortSignal): ReturnType<SetupDeps["testModel"]> {
  const began = performance.now();
  const { url, key, model = "default" } = endpoint;
  const dialer = createTrustedDialer([url]);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
  try {
    const llm = createOpenAiLlm({ fetch: dialer.fetch }, { endpoint: { url, key }, model });
    const { text } = await llm.complete(
      { messages: [{ role: "user", content: "Answer with the one word: ready" }], maxOutputTokens: MAX_TEST_TOKENS },
      limit,
    );
    return { ok: true, latencyMs: elapsed(began), reply: text.trim().slice(0, SHOWN_CHARACTERS), error: null };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = limit.aborted
      ? `no answer within ${TEST_TIMEOUT_MS / 1_000} s; is the server up, and the model loaded?`
      : AppError.from(error).message;
    return { ok: false, latencyMs: elapsed(began), reply: null, error: message };
  } finally {
    await dialer.close();
  }
}

/**
 * Writes the endpoint into the configuration file, leaving the rest of it as it is. Rejects with `conflict` when the
 * environment sets the same: the file would be written and never heard.
 */
export async function keepModel(
  config: Config,
  configFile: string,
  endpoint: ModelEndpointWish,
): ReturnType<SetupDeps["keepModel"]> {
  const outside = MODEL_SETTINGS.find((key) => config.origins[key].startsWith("env "));
  if (outside !== undefined) {
    throw new AppError(
      "conflict",
      `${config.origins[outside].slice("env ".length)} is set in the environment, which wins over ${CONFIG_FILE_NAME}; change it there`,
    );
  }
  const before = Object.entries(await readSettings(configFile)).filter(([name]) => !name.startsWith("llm"));
  const settings = {
    ...Object.fromEntries(before),
    llmUrl: endpoint.url,
    ...(endpoint.key !== undefined && { llmKey: endpoint.key }),
    ...(endpoint.model !== undefined && { llmModel: endpoint.model }),
  };
  const draft = `${configFile}.new`;
  await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, configFile); // whole or not at all
  return { file: CONFIG_FILE_NAME, restart: true };
}

async function readSettings(configFile: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readFile(configFile, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
  return JSON.parse(text) as Readonly<Record<string, unknown>>; // it was read at the start, so it is an object
}

function elapsed(began: number): number {
  return Math.round(performance.now() - began);
}
