import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../api/send.ts";
import type { ApiKey, ApiKeyWithSecret, Page as ListPage } from "../api/shapes.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatAgo, formatDay, formatDollars } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Badge, SkeletonLines, Trouble } from "../ui/states.tsx";
import { showToast } from "../ui/toasts.ts";
import { NewKeyForm } from "./new-key-form.tsx";

const route = getRouteApi("/keys");

/** The team's keys: made, rotated, revoked. */
export function KeysScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<ApiKeyWithSecret>();
  const [asking, setAsking] = useState<{ readonly what: "rotate" | "revoke"; readonly key: ApiKey }>();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: ({ signal }) => send<ListPage<ApiKey>>("/quarry/v1/keys?limit=100", { signal }),
  });
  const change = useMutation({
    mutationFn: async ({ what, key }: { readonly what: "rotate" | "revoke"; readonly key: ApiKey }) => {
      const path = `/quarry/v1/keys/${encodeURIComponent(key.id)}`;
      if (what === "rotate") setSecret(await send<ApiKeyWithSecret>(`${path}/rotate`, { method: "POST", body: {} }));
      else await send(path, { method: "DELETE" });
    },
    onSuccess: (_, { what, key }) => {
      if (what === "revoke")
        showToast({ kind: "good", title: `${key.name} is revoked`, text: "It stopped working at once." });
      return queries.invalidateQueries({ queryKey: ["keys"] });
    },
    onSettled: () => setAsking(undefined),
  });
  const closeForm = (): void => void navigate({ search: {}, replace: true });
  return (
    <Page
      title="Keys"
      lead="Programs sign in with a key. Give each its own, with no more scopes than it needs."
      actions={
        <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
          <Icon name="plus" />
          New key
        </button>
      }
    >
      {keys.isError ? <Trouble error={keys.error} retry={() => void keys.refetch()} /> : null}
      <section className="card flush" aria-label="Keys">
        {keys.data === undefined ? (
          keys.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : (
          <DataTable
            label="Keys"
            columns={[...COLUMNS, actionsColumn(setAsking)]}
            rows={keys.data.data}
            rowKey={(key) => key.id}
            empty="No keys yet. Make one for your agent: New key, above."
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title="New key" onClose={closeForm}>
          <NewKeyForm
            onMade={(made) => {
              setSecret(made);
              closeForm();
              void queries.invalidateQueries({ queryKey: ["keys"] });
            }}
          />
        </Dialog>
      ) : null}
      {secret === undefined ? null : <SecretDialog made={secret} close={() => setSecret(undefined)} />}
      {asking === undefined ? null : (
        <Dialog
          title={asking.what === "rotate" ? `Rotate ${asking.key.name}?` : `Revoke ${asking.key.name}?`}
          onClose={() => setAsking(undefined)}
        >
          <p>
            {asking.what === "rotate"
              ? "The key gets a new secret, shown once. The old one stops working at once."
              : "Programs that use it are refused at once, and browser sessions that stand on it end. This cannot be undone."}
          </p>
          <div className="row">
            <button
              type="button"
              className={asking.what === "rotate" ? "button primary" : "button danger"}
              disabled={change.isPending}
              onClick={() => change.mutate(asking)}
            >
              {asking.what === "rotate" ? "Rotate" : "Revoke"}
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(undefined)}>
              Keep it as it is
            </button>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

function SecretDialog({ made, close }: { readonly made: ApiKeyWithSecret; readonly close: () => void }): ReactNode {
  return (
    <Dialog title={`The secret of ${made.name}`} onClose={close}>
      <p>Copy it now: it is shown only this once.</p>
      <code className="code-block">{made.key}</code>
      <div className="row">
        <CopyButton text={made.key} label="Copy the secret" />
        <button type="button" className="button quiet" onClick={close}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: "name",
    heading: "Name",
    value: (key) => key.name,
    cell: (key) => (
      <>
        <strong>{key.name}</strong>
        <div className="faint small mono">{key.hint}</div>
      </>
    ),
  },
  {
    id: "status",
    heading: "Status",
    value: (key) => key.status,
    cell: (key) => <Badge tone={key.status === "active" ? "good" : "idle"}>{key.status}</Badge>,
  },
  { id: "scopes", heading: "Scopes", value: (key) => key.scopes.join(", ") },
  {
    id: "spent",
    heading: "Spent",
    isNumber: true,
    value: (key) => key.spentDollars,
    cell: (key) =>
      key.budgetDollars === null
        ? formatDollars(key.spentDollars)
        : `${formatDollars(key.spentDollars)} of ${formatDollars(key.budgetDollars)}`,
  },
  {
    id: "used",
    heading: "Last used",
    value: (key) => key.lastUsedAt ?? "",
    cell: (key) => (key.lastUsedAt === null ? "never" : formatAgo(key.lastUsedAt, new Date())),
  },
  {
    id: "expires",
    heading: "Expires",
    value: (key) => key.expiresAt ?? "",
    cell: (key) => (key.expiresAt === null ? "never" : formatDay(key.expiresAt)),
  },
];

function actionsColumn(
  ask: (question: { readonly what: "rotate" | "revoke"; readonly key: ApiKey }) => void,
): Column<ApiKey> {
  return {
    id: "actions",
    heading: "Change",
    value: () => "",
    cell: (key) =>
      key.status === "active" ? (
        <span className="row">
          <button
            type="button"
            className="button quiet small"
            aria-label={`Rotate ${key.name}`}
            onClick={() => ask({ what: "rotate", key })}
          >
            Rotate
          </button>
          <button
            type="button"
            className="button quiet small"
            aria-label={`Revoke ${key.name}`}
            onClick={() => ask({ what: "revoke", key })}
          >
            Revoke
          </button>
        </span>
      ) : null,
  };
}
