import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { Page as ListPage } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { Badge, EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { NewWebhookForm } from "./new-webhook-form.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import type { Webhook } from "./webhook-shapes.ts";
import { say } from "../../words/say.ts";

const route = getRouteApi("/webhooks");

/** Where events are sent to. */
export function WebhooksScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const webhooks = useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => send<ListPage<Webhook>>("/websets/v0/webhooks?limit=200", { signal }),
  });
  const closeForm = (): void => void navigate({ search: {}, replace: true });
  const newWebhook = (
    <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
      <Icon name="plus" />
      {say("webhooks.newWebhook")}
    </button>
  );
  return (
    <Page title={say("webhooks.webhooks")} lead={say("webhooks.addressesThatAreToldWhat")} actions={newWebhook}>
      {webhooks.isError ? <Trouble error={webhooks.error} retry={() => void webhooks.refetch()} /> : null}
      <section className="card flush" aria-label={say("webhooks.webhooks")}>
        {webhooks.data === undefined ? (
          webhooks.isPending && (
            <div className="card">
              <SkeletonLines lines={4} />
            </div>
          )
        ) : webhooks.data.data.length === 0 ? (
          <EmptyState icon="hook" title={say("webhooks.nobodyIsToldOfEvents")} actions={newWebhook}>
            <p>{say("webhooks.giveAnAddressOfYour")}</p>
          </EmptyState>
        ) : (
          <DataTable
            label={say("webhooks.webhooks")}
            columns={COLUMNS}
            rows={webhooks.data.data}
            rowKey={({ id }) => id}
            empty={say("webhooks.noWebhooks")}
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title={say("webhooks.newWebhook")} onClose={closeForm}>
          <NewWebhookForm
            onMade={(made) => {
              setSecret(made.secret ?? undefined);
              closeForm();
              void queries.invalidateQueries({ queryKey: ["webhooks"] });
            }}
          />
        </Dialog>
      ) : null}
      {secret === undefined ? null : <SecretDialog secret={secret} close={() => setSecret(undefined)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: "url",
    heading: say("webhooks.address"),
    isText: true,
    value: ({ url }) => url,
    cell: ({ id, url }) => (
      <Link className="wrap" to="/webhooks/$id" params={{ id }}>
        {url}
      </Link>
    ),
  },
  {
    id: "status",
    heading: say("webhooks.status"),
    value: ({ status }) => status,
    cell: ({ status }) => <Badge tone={status === "active" ? "good" : "bad"}>{status}</Badge>,
  },
  { id: "events", heading: say("webhooks.events"), isText: true, value: ({ events }) => events.join(", ") },
  {
    id: "created",
    heading: say("webhooks.made"),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(createdAt, new Date()),
  },
];
