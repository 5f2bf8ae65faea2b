import {
  createWebhookSchema,
  listAttemptsQuerySchema,
  listWebhooksQuerySchema,
  makeWebhookSecret,
  pageOf,
  updateWebhookSchema,
  webhookAttemptSchema,
  webhookSchema,
} from "@quarry/contract";
import { createWebhook, deleteWebhook, getWebhook, listAttempts, listWebhooks, updateWebhook } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { showAttempt, showWebhook, type WebhookRoutesDeps } from "./show-webhook.ts";
import { webhookToolRoutes } from "./webhook-tools.ts";

const params = z.object({ id: z.string().describe("The webhook's id.") });
const shared = { tag: "Webhooks", access: "websets" } as const;

/** Webhooks as Exa has them, and what we add: test, replay, rotate, deliveries. */
export function webhookRoutes(deps: WebhookRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createWebhook",
      method: "POST",
      path: "/websets/v0/webhooks",
      summary: "Have events sent to a URL",
      description:
        "The reply shows the secret that signs the deliveries; it is not shown again. Deliveries carry Exa-Signature and the Standard Webhooks headers.",
      creates: "secret",
      body: createWebhookSchema,
      response: webhookSchema,
      handle: async ({ body }, { caller, newId, signal }) => {
        await deps.checkUrl(body.url, signal);
        const { url, events, metadata = {} } = body;
        const wanted = {
          id: newId("webhook"),
          teamId: caller.teamId,
          url,
          events,
          metadata,
          secret: makeWebhookSecret(),
        };
        const webhook = await createWebhook(db, wanted, clock.now());
        return { ...showWebhook(webhook), secret: webhook.secret };
      },
    }),
    defineRoute({
      ...shared,
      name: "listWebhooks",
      method: "GET",
      path: "/websets/v0/webhooks",
      summary: "List webhooks, newest first",
      query: listWebhooksQuerySchema,
      response: pageOf(webhookSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listWebhooks(db, caller.teamId, query);
        return { ...page, data: page.data.map(showWebhook) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getWebhook",
      method: "GET",
      path: "/websets/v0/webhooks/:id",
      summary: "Read a webhook",
      params,
      response: webhookSchema,
      handle: async ({ params: { id } }, { caller }) => showWebhook(await getWebhook(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "updateWebhook",
      method: "PATCH",
      path: "/websets/v0/webhooks/:id",
      summary: "Change a webhook, and make it active again",
      params,
      body: updateWebhookSchema,
      response: webhookSchema,
      handle: async ({ params: { id }, body }, { caller, signal }) => {
        await getWebhook(db, caller.teamId, id);
        if (body.url !== undefined) await deps.checkUrl(body.url, signal);
        const { url, events, metadata } = body;
        const change = {
          ...(url === undefined ? {} : { url }),
          ...(events === undefined ? {} : { events }),
          ...(metadata === undefined ? {} : { metadata }),
          now: clock.now(),
        };
        return showWebhook(await updateWebhook(db, caller.teamId, id, change));
      },
    }),
    defineRoute({
      ...shared,
      name: "deleteWebhook",
      method: "DELETE",
      path: "/websets/v0/webhooks/:id",
      summary: "Delete a webhook, its deliveries and attempts",
      params,
      response: webhookSchema,
      handle: async ({ params: { id } }, { caller }) => showWebhook(await deleteWebhook(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "listWebhookAttempts",
      method: "GET",
      path: "/websets/v0/webhooks/:id/attempts",
      summary: "List what became of deliveries, newest first",
      params,
      query: listAttemptsQuerySchema,
      response: pageOf(webhookAttemptSchema),
      handle: async ({ params: { id }, query }, { caller }) => {
        await getWebhook(db, caller.teamId, id);
        const page = await listAttempts(db, id, query);
        return { ...page, data: page.data.map(showAttempt) };
      },
    }),
    ...webhookToolRoutes(deps),
  ];
}
