import type { Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import {
  createWebhookUrlCheck,
  postByDialer,
  RECEIVER_CONNECTIONS,
  startWebhookSender,
  type AttemptDeps,
} from "@quarry/events";
import { exaEventRoutes, webhookRoutes, type Route } from "@quarry/doors";
import { createDialer } from "@quarry/net";
import type { Database } from "@quarry/store";
import type { Logger } from "pino";

/** How long deliveries under way get to end when the server stops. */
const STOP_DEADLINE_MS = 5_000;

/** Puts webhooks together: their routes, and, unless this process only serves the API, the sender. */
export async function wireWebhooks(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly version: string;
  readonly logger: Logger;
}): Promise<{ readonly routes: readonly Route[]; readonly close: () => Promise<void> }> {
  const { config, clock, database, logger } = parts;
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
  return {
    routes: [
      ...webhookRoutes({ db: database, clock, checkUrl: urls.check, sending }),
      ...exaEventRoutes({ db: database }),
    ],
    close: async () => {
      await sender?.stop(STOP_DEADLINE_MS);
      await Promise.all([dialer.close(), urls.close()]);
    },
  };
}
