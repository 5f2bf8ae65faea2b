import type { Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import {
  createPageMonitorHandler,
  createWebhookUrlCheck,
  postByDialer,
  RECEIVER_CONNECTIONS,
  startWebhookSender,
  type AttemptDeps,
} from "@quarry/events";
import { exaEventRoutes, pageMonitorRoutes, webhookRoutes, type Route } from "@quarry/doors";
import { compareTexts } from "@quarry/ingest";
import { createDialer } from "@quarry/net";
import { getPages, type SearchDeps } from "@quarry/search";
import { PAGE_MONITOR_JOB, type Database, type JobHandler } from "@quarry/store";
import type { Logger } from "pino";

/** How long deliveries under way get to end when the server stops. */
const STOP_DEADLINE_MS = 1_500;

/** A page as it is on the web now, whatever is stored of it. */
const FRESH = {
  freshness: { kind: "fetch", fallsBack: false },
  fetchTimeoutMs: 30_000,
  snapshotAsOf: undefined,
} as const;

/** Puts webhooks and page monitors together: routes, jobs, and, unless this process only serves the API, the sender. */
export async function wireWebhooks(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly searching: SearchDeps;
  readonly version: string;
  readonly logger: Logger;
}): Promise<{
  readonly routes: readonly Route[];
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly close: () => Promise<void>;
}> {
  const { config, clock, database, searching, logger } = parts;
  const { allowPrivateHosts } = config;
  const dialer = createDialer({
    allowPrivateHosts,
    userAgent: `Quarry-Webhooks/${parts.version}`,
    limits: RECEIVER_CONNECTIONS,
  });
  const urls = createWebhookUrlCheck({ allowPrivateHosts });
  const sending: AttemptDeps = { post: postByDialer(dialer.fetch), clock, random: Math.random };
  const sender =
    config.role === "api"
      ? undefined
      : await startWebhookSender({
          ...sending,
          database,
          onFailure: (error) => logger.error({ err: error }, "the webhook sender"),
        });
  const watching = createPageMonitorHandler({
    database,
    clock,
    compareTexts,
    readPage: async ({ teamId, url }, signal) => {
      const outcome = (await getPages(searching, [teamId], [url], FRESH, signal)).get(url);
      if (outcome?.kind !== "found") return { kind: "failed", error: outcome?.tag ?? "CRAWL_NOT_FOUND" };
      const { text, snapshotId, extractorVersion } = outcome.page;
      if (snapshotId === null) return { kind: "failed", error: "the page asks not to be kept: it cannot be compared" };
      return { kind: "read", text, kept: { snapshotId, extractorVersion } };
    },
  });
  return {
    routes: [
      ...webhookRoutes({ db: database, clock, checkUrl: urls.check, sending }),
      ...exaEventRoutes({ db: database }),
      ...pageMonitorRoutes({ db: database, clock, checkUrl: urls.check }),
    ],
    handlers: { [PAGE_MONITOR_JOB]: watching },
    close: async () => {
      await sender?.stop(STOP_DEADLINE_MS);
      await Promise.all([dialer.close(), urls.close()]);
    },
  };
}
