import type { Config } from "@quarry/config";
import { createTrustedDialer, headerOf, readBody, type Dialer } from "@quarry/net";
import {
  createUpstreams,
  fillFromUpstream,
  listUpstreamEndpoints,
  type AskEndpoint,
  type EndpointReply,
  type FetchLive,
  type FillIn,
  type SearchDeps,
} from "@quarry/search";

/** The providers that the operator named, and a way to end the connections to them. */
export interface Upstream {
  /** Absent when none is configured: nobody is ever asked. */
  readonly fillIn: FillIn | undefined;
  readonly close: () => Promise<void>;
}

/** Puts the asking of other search providers together. */
export function wireUpstream(parts: {
  readonly config: Config;
  /** Fetches pages under the crawler's rules; whatever a provider names is a stranger's URL. */
  readonly fetchLive: FetchLive;
  readonly readTexts: SearchDeps["readTexts"];
  readonly now: () => Date;
}): Upstream {
  const endpoints = listUpstreamEndpoints(parts.config);
  if (endpoints.length === 0) return { fillIn: undefined, close: () => Promise.resolve() };
  const dialer = createTrustedDialer(endpoints.map(({ url }) => url));
  const stop = new AbortController();
  const deps = {
    providers: createUpstreams({ ask: askByDialer(dialer), now: parts.now }, parts.config),
    readTexts: parts.readTexts,
    now: parts.now,
    keepPage: async (page: { readonly teamId: string; readonly url: string; readonly timeoutMs: number }) => {
      const outcome = await parts.fetchLive({ ...page, category: null, source: "upstream" }, stop.signal);
      return outcome.kind === "fetched";
    },
  };
  return {
    fillIn: (query, found, signal) => fillFromUpstream(deps, query, found, signal),
    close: async () => {
      stop.abort();
      await dialer.close();
    },
  };
}

function askByDialer(dialer: Dialer): AskEndpoint {
  return async (request, signal): Promise<EndpointReply> => {
    const { url, method, headers, body, timeoutMs, maxBytes } = request;
    const reply = await dialer.fetch(
      {
        url,
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirects: "manual",
        limits: { totalMs: timeoutMs, headersMs: timeoutMs, idleBodyMs: timeoutMs, connectMs: timeoutMs, maxBytes },
      },
      signal,
    );
    if (reply.kind !== "reply") return { kind: "failed", reason: reply.reason };
    const read = await readBody(reply);
    if (read.kind !== "read") return { kind: "failed", reason: read.reason };
    const seconds = Number(headerOf(reply, "retry-after"));
    return {
      kind: "reply",
      status: reply.status,
      text: new TextDecoder().decode(read.bytes),
      retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined,
    };
  };
}
