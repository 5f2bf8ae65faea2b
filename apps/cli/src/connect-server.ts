import { AppError, isUrl } from "@quarry/base";
import type { ApiTarget } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { ensureServer } from "./ensure-server.ts";

/**
 * The server a command talks to: the one `--url` names, else the one of the data
 * directory, started when none runs. The local server's own key never goes
 * to an address given by hand.
 */
export async function connectServer(context: CliContext, io: CommandIo): Promise<ApiTarget> {
  const config = context.readConfig();
  const { url, key } = io.options;
  if (url !== undefined) return { url: checkUrl(url), key: key ?? config.apiKey };
  if (config.role !== "all") {
    throw new AppError("invalid_request", `QUARRY_ROLE is ${config.role}; name the server to ask with --url and --key`);
  }
  const file = await ensureServer(context, io, config.dataDir);
  return { url: file.url, key: key ?? file.key };
}

/** The address of `--url`, or `invalid_request`. */
export function checkUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && isUrl(url)) return url;
  throw new AppError("invalid_request", `--url is "${url}"; expected an address such as http://127.0.0.1:7700`);
}
