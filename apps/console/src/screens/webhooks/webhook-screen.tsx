import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { Page as ListPage } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo, formatDuration, formatTime } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Badge, SkeletonLines, Trouble, type Tone } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import type { Webhook, WebhookAttempt, WebhookDelivery } from "./webhook-shapes.ts";
import { say } from "../../words/say.ts";
import { sayCount } from "../../words/say-count.ts";

const route = getRouteApi("/webhooks/$id");
const LOOK_AGAIN_MS = 2_000;

const TONES: Readonly<Record<WebhookDelivery["state"], Tone>> = {
  waiting: "warn",
  behind: "idle",
  sending: "live",
  delivered: "good",
  dead: "bad",
};

/** One webhook: its secret, a test, what is on its way, what was given up and can be sent again, and every attempt. */
export function WebhookScreen(): ReactNode {
  const { id } = route.useParams();
  const own = `/quarry/v1/webhooks/${encodeURIComponent(id)}`;
  const exa = `/websets/v0/webhooks/${encodeURIComponent(id)}`;
  const webhook = useQuery({
    queryKey: ["webhook", id],
    queryFn: ({ signal }) => send<Webhook>(exa, { signal }),
  });
  const deliveries = useQuery({
    queryKey: ["webhook", id, "deliveries"],
    queryFn: ({ signal }) => send<ListPage<WebhookDelivery>>(`${own}/deliveries?limit=100`, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const attempts = useQuery({
    queryKey: ["webhook", id, "attempts"],
    queryFn: ({ signal }) => send<ListPage<WebhookAttempt>>(`${exa}/attempts?limit=100`, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const error = webhook.error ?? deliveries.error ?? attempts.error;
  const replay = useReplay(id, own);
  if (webhook.data === undefined) {
    return (
      <Page title={say("webhooks.webhook")} lead={<Link to="/webhooks">{say("webhooks.allWebhooks")}</Link>}>
        {webhook.isError ? <Trouble error={webhook.error} /> : <SkeletonLines lines={6} />}
      </Page>
    );
  }
  return (
    <Page
      title={webhook.data.url}
      lead={
        <span className="row">
          <Link to="/webhooks">{say("webhooks.allWebhooks")}</Link>
          <Badge tone={webhook.data.status === "active" ? "good" : "bad"}>{webhook.data.status}</Badge>
          <span className="wrap">{webhook.data.events.join(", ")}</span>
        </span>
      }
      actions={<Actions id={id} own={own} />}
    >
      {error === null ? null : <Trouble error={error} />}
      <section className="card flush" aria-label={say("webhooks.deliveries")}>
        <div className="card-head">
          <h2>{say("webhooks.deliveries")}</h2>
          <button
            type="button"
            className="button"
            disabled={replay.isPending}
            onClick={() => replay.mutate({ dead: true })}
          >
            {say("webhooks.replayAllThatWereGiven")}
          </button>
        </div>
        <DataTable
          label={say("webhooks.deliveryLog")}
          columns={[
            ...DELIVERY_COLUMNS,
            {
              id: "replay",
              heading: say("webhooks.again"),
              value: () => "",
              cell: ({ eventId, state }) =>
                state === "dead" || state === "delivered" ? (
                  <button
                    type="button"
                    className="button small"
                    aria-label={say("webhooks.replay", { eventId })}
                    disabled={replay.isPending}
                    onClick={() => replay.mutate({ eventIds: [eventId] })}
                  >
                    {say("webhooks.replayLabel")}
                  </button>
                ) : null,
            },
          ]}
          rows={deliveries.data?.data ?? []}
          rowKey={({ eventId }) => eventId}
          empty={say("webhooks.noEventHasBeenSent")}
        />
      </section>
      <section className="card flush" aria-label={say("webhooks.attempts")}>
        <div className="card-head">
          <h2>{say("webhooks.attempts")}</h2>
        </div>
        <DataTable
          label={say("webhooks.attemptsNewestFirst")}
          columns={ATTEMPT_COLUMNS}
          rows={attempts.data?.data ?? []}
          rowKey={({ id: attemptId }) => attemptId}
          empty={say("webhooks.nothingHasBeenTriedYet")}
        />
      </section>
    </Page>
  );
}

function useReplay(id: string, own: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: { readonly dead: true } | { readonly eventIds: readonly string[] }) =>
      send<{ readonly queued: number }>(`${own}/replay`, { method: "POST", body: wish }),
    onSuccess: ({ queued }) => {
      showToast({ kind: "good", title: sayCount("webhooks.sentAgain", queued) });
      return queries.invalidateQueries({ queryKey: ["webhook", id] });
    },
  });
}

function Actions({ id, own }: { readonly id: string; readonly own: string }): ReactNode {
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const test = useMutation({
    mutationFn: async () => {
      const began = performance.now();
      const attempt = await send<WebhookAttempt>(`${own}/test`, { method: "POST", body: {} });
      return { attempt, ms: performance.now() - began };
    },
    onSuccess: ({ attempt, ms }) => {
      showToast({
        kind: attempt.successful ? "good" : "bad",
        title: attempt.successful ? say("webhooks.theTestEventArrived") : say("webhooks.theTestEventDidNot"),
        text: say("webhooks.after", { attempt: answerOf(attempt), ms: formatDuration(ms) }),
      });
      return queries.invalidateQueries({ queryKey: ["webhook", id] });
    },
  });
  const rotate = useMutation({
    mutationFn: () => send<Webhook>(`${own}/rotate`, { method: "POST", body: {} }),
    onSuccess: (rotated) => setSecret(rotated.secret ?? undefined),
  });
  return (
    <>
      <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
        {say("webhooks.sendATestEvent")}
      </button>
      <button type="button" className="button" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
        {say("webhooks.rotateTheSecret")}
      </button>
      {secret === undefined ? null : <SecretDialog secret={secret} close={() => setSecret(undefined)} />}
    </>
  );
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { id: "type", heading: say("webhooks.event"), value: ({ eventType }) => eventType },
  {
    id: "state",
    heading: say("webhooks.state"),
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  { id: "attempts", heading: say("webhooks.attempts"), isNumber: true, value: ({ attempts }) => attempts },
  {
    id: "latency",
    heading: say("webhooks.took"),
    isNumber: true,
    value: tookOf,
    cell: (delivery) => (delivery.finishedAt === null ? "–" : formatDuration(tookOf(delivery))),
  },
  {
    id: "next",
    heading: say("webhooks.nextTry"),
    value: ({ nextAttemptAt }) => nextAttemptAt ?? "",
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? "–" : formatTime(nextAttemptAt)),
  },
  { id: "error", heading: say("webhooks.lacked"), isText: true, value: ({ error }) => error ?? "" },
  {
    id: "created",
    heading: say("webhooks.happened"),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(createdAt, new Date()),
  },
];

const ATTEMPT_COLUMNS: readonly Column<WebhookAttempt>[] = [
  { id: "type", heading: say("webhooks.event"), value: ({ eventType }) => eventType },
  { id: "attempt", heading: say("webhooks.attempt"), isNumber: true, value: ({ attempt }) => attempt },
  {
    id: "answer",
    heading: say("webhooks.answer"),
    value: ({ responseStatusCode }) => responseStatusCode,
    cell: (attempt) => <Badge tone={attempt.successful ? "good" : "bad"}>{answerOf(attempt)}</Badge>,
  },
  {
    id: "body",
    heading: say("webhooks.body"),
    isText: true,
    value: ({ responseBody }) => responseBody ?? "",
    cell: ({ responseBody }) => <span className="wrap mono small">{(responseBody ?? "").slice(0, 300)}</span>,
  },
  {
    id: "at",
    heading: say("webhooks.when"),
    value: ({ attemptedAt }) => attemptedAt,
    cell: ({ attemptedAt }) => formatAgo(attemptedAt, new Date()),
  },
];

function tookOf({ createdAt, finishedAt }: WebhookDelivery): number {
  return finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(createdAt);
}

function answerOf({ responseStatusCode }: WebhookAttempt): string {
  return responseStatusCode === 0
    ? say("webhooks.noAnswer")
    : say("webhooks.statusOfResponseStatusCode", { responseStatusCode });
}
