import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { ImportWebsetForm } from "./import-webset-form.tsx";
import { NewWebsetForm } from "./new-webset-form.tsx";
import { titleOfWebset, websetsQuery } from "./use-websets.ts";
import { WebsetBadge } from "./webset-badge.tsx";
import type { Webset } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const route = getRouteApi("/websets");

/** The team's lists, and the form that makes one. */
export function WebsetsScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const websets = useQuery(websetsQuery);
  const newWebset = (
    <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
      <Icon name="plus" />
      {say("websets.newWebset")}
    </button>
  );
  return (
    <Page
      title={say("websets.websets")}
      lead={say("websets.listsOfCompaniesPeoplePapers")}
      actions={
        <>
          <button type="button" className="button" onClick={() => void navigate({ search: { dialog: "import" } })}>
            {say("websets.importCsv")}
          </button>
          {newWebset}
        </>
      }
    >
      {websets.isError ? <Trouble error={websets.error} retry={() => void websets.refetch()} /> : null}
      <section className="card flush" aria-label={say("websets.websets")}>
        {websets.data === undefined ? (
          websets.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : websets.data.data.length === 0 ? (
          <EmptyState icon="grid" title={say("websets.thereIsNoWebset")} actions={newWebset}>
            <p>{say("websets.sayWhatTheListIs")}</p>
          </EmptyState>
        ) : (
          <DataTable
            label={say("websets.websets")}
            columns={COLUMNS}
            rows={websets.data.data}
            rowKey={({ id }) => id}
            empty={say("websets.noWebsets")}
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title={say("websets.newWebset")} onClose={() => void navigate({ search: {}, replace: true })}>
          <NewWebsetForm />
        </Dialog>
      ) : null}
      {dialog === "import" ? (
        <Dialog title={say("websets.importCsv")} onClose={() => void navigate({ search: {}, replace: true })}>
          <ImportWebsetForm />
        </Dialog>
      ) : null}
    </Page>
  );
}

const COLUMNS: readonly Column<Webset>[] = [
  {
    id: "title",
    heading: say("websets.what"),
    isText: true,
    value: titleOfWebset,
    cell: (webset) => (
      <Link className="wrap" to="/websets/$id" params={{ id: webset.id }}>
        {titleOfWebset(webset)}
      </Link>
    ),
  },
  {
    id: "status",
    heading: say("websets.status"),
    value: ({ status }) => status,
    cell: ({ status }) => <WebsetBadge status={status} />,
  },
  {
    id: "found",
    heading: say("websets.found"),
    isNumber: true,
    value: foundOf,
    cell: (webset) => formatNumber(foundOf(webset)),
  },
  { id: "columns", heading: say("websets.columns"), isNumber: true, value: ({ enrichments }) => enrichments.length },
  {
    id: "created",
    heading: say("websets.made"),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(createdAt, new Date()),
  },
];

function foundOf({ searches }: Webset): number {
  return searches.reduce((sum, { progress }) => sum + progress.found, 0);
}
