import { AppError } from "@quarry/base";
import type { AskEndpoint, EndpointRequest, UpstreamName, UpstreamResult } from "./upstream-provider.ts";

/** Somebody waits: a provider that needs longer is left out. */
const TIMEOUT_MS = 4_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Asks a provider and reads its JSON. Throws an AppError in words for people, without the key and without the reply's text. */
export async function askJson(
  ask: AskEndpoint,
  name: UpstreamName,
  request: Pick<EndpointRequest, "url" | "method" | "headers" | "body">,
  signal: AbortSignal,
): Promise<unknown> {
  const reply = await ask({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }, signal);
  if (reply.kind === "failed") throw failure(name, `gave no answer (${reply.reason})`);
  if (reply.status === 429) {
    throw new AppError("rate_limited", `${name} asks us to slow down`, {
      retryable: true,
      ...(reply.retryAfterMs === undefined ? {} : { retryAfterMs: reply.retryAfterMs }),
    });
  }
  if (reply.status === 401 || reply.status === 403) {
    throw failure(name, `refused us (${reply.status}): check QUARRY_UPSTREAM_${name.toUpperCase()}_KEY and _URL`);
  }
  if (reply.status !== 200) throw failure(name, `answered ${reply.status}`);
  try {
    return JSON.parse(reply.text) as unknown;
  } catch (cause) {
    throw failure(name, "answered something that is not JSON", cause);
  }
}

/** The list at `path` of a reply; throws when there is none. */
export function listAt(name: UpstreamName, reply: unknown, path: readonly string[]): readonly unknown[] {
  let value = reply;
  for (const key of path) value = fieldOf(value, key);
  if (!Array.isArray(value)) throw failure(name, `answered without ${path.join(".")}`);
  return value;
}

/** An entry of a reply, read by the names its provider gives to things; undefined when it is no page. */
export function readResult(
  entry: unknown,
  names: Readonly<Record<"title" | "author" | "published" | "image" | "favicon", string | undefined>>,
): UpstreamResult | undefined {
  const url = textOf(fieldOf(entry, "url"));
  if (url === null) return undefined;
  const textAt = (name: string | undefined): string | null =>
    name === undefined ? null : textOf(fieldOf(entry, name));
  return {
    url,
    title: textAt(names.title),
    author: textAt(names.author),
    publishedAt: toDate(textAt(names.published)),
    image: textAt(names.image),
    favicon: textAt(names.favicon),
  };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

const MAX_TEXT = 2_000;

function textOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim().slice(0, MAX_TEXT).toWellFormed();
  return text === "" ? null : text;
}

function toDate(text: string | null): Date | null {
  const date = text === null ? undefined : new Date(text);
  return date === undefined || Number.isNaN(date.getTime()) ? null : date;
}

function failure(name: UpstreamName, what: string, cause?: unknown): AppError {
  return new AppError("upstream_failed", `${name} ${what}`, { retryable: true, cause });
}
