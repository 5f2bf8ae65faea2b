import { isUrl } from "@quarry/base";
import { isLoopbackHost } from "@quarry/config";

/** The environment's names of what object storage needs, and the engine's; of several, the first that is set counts. */
const NAMES: readonly (readonly [option: string, names: readonly string[]])[] = [
  ["aws_access_key_id", ["AWS_ACCESS_KEY_ID"]],
  ["aws_secret_access_key", ["AWS_SECRET_ACCESS_KEY"]],
  ["aws_session_token", ["AWS_SESSION_TOKEN"]],
  ["aws_region", ["AWS_REGION", "AWS_DEFAULT_REGION"]],
  ["aws_endpoint", ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]],
  ["allow_http", ["AWS_ALLOW_HTTP"]],
];

/**
 * How an index on object storage is reached, by the names every tool for it uses. Without encryption only on this
 * machine, unless AWS_ALLOW_HTTP says otherwise.
 */
export function readObjectStorage(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const options = new Map(
    NAMES.flatMap(([option, names]) => {
      const value = names.map((name) => env[name]).find((text) => text !== undefined && text !== "");
      return value === undefined ? [] : [[option, value] as const];
    }),
  );
  const endpoint = options.get("aws_endpoint");
  if (endpoint !== undefined && !options.has("allow_http") && isPlainLoopback(endpoint))
    options.set("allow_http", "true");
  return Object.fromEntries(options);
}

function isPlainLoopback(endpoint: string): boolean {
  if (!isUrl(endpoint)) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "http:" && isLoopbackHost(hostname.replace(/^\[|\]$/g, ""));
}
