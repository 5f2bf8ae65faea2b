import { existsSync } from "node:fs";
import { systemClock } from "@quarry/base";
import type { Config } from "@quarry/config";
import {
  CRAWLER_AGENT,
  crawlerUserAgent,
  createRenderer,
  createRobotsCache,
  findBrowser,
  getByDialer,
  type Renderer,
} from "@quarry/crawl";
import { createHostPaces } from "@quarry/ingest";
import { createDialer, parseAllowList, type Dialer } from "@quarry/net";
import { isOpened } from "./server-address.ts";

/** Everything by which this process reaches other servers, behind one guarded dialer. */
export interface Visiting {
  readonly dialer: Dialer;
  /** What a visit of a page needs: the same robots rules and paces for crawls and for callers that wait. */
  readonly visits: {
    readonly get: ReturnType<typeof getByDialer>;
    readonly robots: ReturnType<typeof createRobotsCache>;
    readonly paces: ReturnType<typeof createHostPaces>;
    readonly agent: string;
    readonly now: () => Date;
  };
  readonly renderer: Renderer;
  /** The browser that shows pages; undefined where there is none. */
  readonly browserPath: string | undefined;
  /** Whether the operator opened a private host. */
  readonly isOpenedHost: (url: string) => boolean;
  readonly close: () => Promise<void>;
}

/** Puts the ways out together. */
export function wireVisits(parts: {
  readonly config: Config;
  readonly version: string;
  readonly searchPath: readonly string[];
}): Visiting {
  const { config, version, searchPath } = parts;
  const opened = parseAllowList(config.allowPrivateHosts);
  const userAgent = crawlerUserAgent(version, config.publicUrl);
  const dialer = createDialer({ allowPrivateHosts: config.allowPrivateHosts, userAgent });
  const get = getByDialer(dialer.fetch);
  const browserPath = findBrowser({
    browserPath: config.browserPath,
    platform: process.platform,
    searchPath,
    exists: existsSync,
  });
  const renderer = createRenderer({ dialer, browserPath, sandbox: process.getuid?.() !== 0, userAgent });
  return {
    dialer,
    visits: {
      get,
      robots: createRobotsCache({ get, now: systemClock.now }, CRAWLER_AGENT),
      paces: createHostPaces(systemClock.now),
      agent: CRAWLER_AGENT,
      now: systemClock.now,
    },
    renderer,
    browserPath,
    isOpenedHost: (url) => isOpened(opened, url),
    close: async () => {
      await renderer.close();
      await dialer.close();
    },
  };
}
