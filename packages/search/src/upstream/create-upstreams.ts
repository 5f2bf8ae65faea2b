import { createBraveProvider } from "./brave-provider.ts";
import { createExaProvider } from "./exa-provider.ts";
import { createSearxngProvider } from "./searxng-provider.ts";
import type { AskEndpoint, UpstreamEndpoint, UpstreamName, UpstreamProvider } from "./upstream-provider.ts";
import { withPause } from "./with-pause.ts";

/** What the operator set, as the configuration names it. */
export interface UpstreamSettings {
  readonly upstreamExaUrl?: string | undefined;
  readonly upstreamExaKey?: string | undefined;
  readonly upstreamBraveUrl?: string | undefined;
  readonly upstreamBraveKey?: string | undefined;
  readonly upstreamSearxngUrl?: string | undefined;
  readonly upstreamSearxngKey?: string | undefined;
}

const EXA_URL = "https://api.exa.ai";
const BRAVE_URL = "https://api.search.brave.com";

/** Where the configured providers are: none unless the operator gave an address or a key. */
export function listUpstreamEndpoints(
  settings: UpstreamSettings,
): readonly (UpstreamEndpoint & { readonly name: UpstreamName })[] {
  const given: readonly (readonly [UpstreamName, string | undefined, string | undefined, string | undefined])[] = [
    ["exa", settings.upstreamExaUrl, settings.upstreamExaKey, EXA_URL],
    ["brave", settings.upstreamBraveUrl, settings.upstreamBraveKey, BRAVE_URL],
    ["searxng", settings.upstreamSearxngUrl, settings.upstreamSearxngKey, undefined],
  ];
  return given.flatMap(([name, givenUrl, key, usualUrl]) => {
    const url = givenUrl ?? (key === undefined ? undefined : usualUrl);
    return url === undefined ? [] : [{ name, url: url.replace(/(?<!\/)\/+$/, ""), key }];
  });
}

const CREATE: Readonly<Record<UpstreamName, (ask: AskEndpoint, endpoint: UpstreamEndpoint) => UpstreamProvider>> = {
  exa: createExaProvider,
  brave: createBraveProvider,
  searxng: createSearxngProvider,
};

/** The configured providers, each to be asked through `ask` and left alone while it asks for that. */
export function createUpstreams(
  deps: { readonly ask: AskEndpoint; readonly now: () => Date },
  settings: UpstreamSettings,
): readonly UpstreamProvider[] {
  return listUpstreamEndpoints(settings).map((endpoint) =>
    withPause(CREATE[endpoint.name](deps.ask, endpoint), deps.now),
  );
}
