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
import { say } from "../words/say.ts";

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
        showToast({
          kind: "good",
          title: say("keys.isRevoked", { name: key.name }),
          text: say("keys.itStoppedWorkingAtOnce"),
        });
      return queries.invalidateQueries({ queryKey: ["keys"] });
    },
    onSettled: () => setAsking(undefined),
  });
  const closeForm = (): void => void navigate({ search: {}, replace: true });
  return (
    <Page
      title={say("keys.keys")}
      lead={say("keys.programsSignInWithA")}
      actions={
        <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
          <Icon name="plus" />
          {say("keys.newKey")}
        </button>
      }
    >
      {keys.isError ? <Trouble error={keys.error} retry={() => void keys.refetch()} /> : null}
      <section className="card flush" aria-label={say("keys.keys")}>
        {keys.data === undefined ? (
          keys.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : (
          <DataTable
            label={say("keys.keys")}
            columns={[...COLUMNS, actionsColumn(setAsking)]}
            rows={keys.data.data}
            rowKey={(key) => key.id}
            empty={say("keys.noKeysYetMakeOne")}
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title={say("keys.newKey")} onClose={closeForm}>
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
          title={
            asking.what === "rotate"
              ? say("keys.rotate", { name: asking.key.name })
              : say("keys.revoke", { name: asking.key.name })
          }
          onClose={() => setAsking(undefined)}
        >
          <p>{asking.what === "rotate" ? say("keys.theKeyGetsANew") : say("keys.programsThatUseItAre")}</p>
          <div className="row">
            <button
              type="button"
              className={asking.what === "rotate" ? "button primary" : "button danger"}
              disabled={change.isPending}
              onClick={() => change.mutate(asking)}
            >
              {asking.what === "rotate" ? say("keys.rotateLabel") : say("keys.revokeLabel")}
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(undefined)}>
              {say("keys.keepItAsItIs")}
            </button>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

function SecretDialog({ made, close }: { readonly made: ApiKeyWithSecret; readonly close: () => void }): ReactNode {
  return (
    <Dialog title={say("keys.theSecretOf", { name: made.name })} onClose={close}>
      <p>{say("keys.copyItNowItIs")}</p>
      <code className="code-block">{made.key}</code>
      <div className="row">
        <CopyButton text={made.key} label={say("keys.copyTheSecret")} />
        <button type="button" className="button quiet" onClick={close}>
          {say("keys.iHaveIt")}
        </button>
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: "name",
    heading: say("keys.name"),
    isText: true,
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
    heading: say("keys.status"),
    value: (key) => key.status,
    cell: (key) => <Badge tone={key.status === "active" ? "good" : "idle"}>{key.status}</Badge>,
  },
  { id: "scopes", heading: say("keys.scopes"), isText: true, value: (key) => key.scopes.join(", ") },
  {
    id: "spent",
    heading: say("keys.spent"),
    isNumber: true,
    value: (key) => key.spentDollars,
    cell: (key) =>
      key.budgetDollars === null
        ? formatDollars(key.spentDollars)
        : say("keys.of", {
            spentDollars: formatDollars(key.spentDollars),
            budgetDollars: formatDollars(key.budgetDollars),
          }),
  },
  {
    id: "used",
    heading: say("keys.lastUsed"),
    value: (key) => key.lastUsedAt ?? "",
    cell: (key) => (key.lastUsedAt === null ? "never" : formatAgo(key.lastUsedAt, new Date())),
  },
  {
    id: "expires",
    heading: say("keys.expires"),
    value: (key) => key.expiresAt ?? "",
    cell: (key) => (key.expiresAt === null ? "never" : formatDay(key.expiresAt)),
  },
];

function actionsColumn(
  ask: (question: { readonly what: "rotate" | "revoke"; readonly key: ApiKey }) => void,
): Column<ApiKey> {
  return {
    id: "actions",
    heading: say("keys.change"),
    value: () => "",
    cell: (key) =>
      key.status === "active" ? (
        <span className="row">
          <button
            type="button"
            className="button quiet small"
            aria-label={say("keys.rotateOfName", { name: key.name })}
            onClick={() => ask({ what: "rotate", key })}
          >
            {say("keys.rotateLabel")}
          </button>
          <button
            type="button"
            className="button quiet small"
            aria-label={say("keys.revokeOfName", { name: key.name })}
            onClick={() => ask({ what: "revoke", key })}
          >
            {say("keys.revokeLabel")}
          </button>
        </span>
      ) : null,
  };
}
