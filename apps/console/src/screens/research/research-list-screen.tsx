import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatDollars, formatDuration } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { NewResearchForm } from "./new-research-form.tsx";
import { ResearchBadge } from "./research-badge.tsx";
import type { Research } from "./research-shapes.ts";
import { researchListQuery } from "./use-research.ts";

const route = getRouteApi("/research");

/** The team's research tasks, and the form that begins one. */
export function ResearchListScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery(researchListQuery);
  const newResearch = (
    <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
      <Icon name="plus" />
      New research
    </button>
  );
  return (
    <Page
      title="Research"
      lead="Questions too large for one search: planned, searched, read and written down, every sentence with its source."
      actions={newResearch}
    >
      {list.isError ? <Trouble error={list.error} retry={() => void list.refetch()} /> : null}
      <section className="card flush" aria-label="Research">
        {list.data === undefined ? (
          list.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : list.data.data.length === 0 ? (
          <EmptyState icon="research" title="Nothing has been researched" actions={newResearch}>
            <p>Say what to find out. The run goes on by itself, and survives a restart of the server.</p>
          </EmptyState>
        ) : (
          <DataTable
            label="Research"
            columns={COLUMNS}
            rows={list.data.data}
            rowKey={({ researchId }) => researchId}
            empty="No research."
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title="New research" onClose={() => void navigate({ search: {}, replace: true })}>
          <NewResearchForm />
        </Dialog>
      ) : null}
    </Page>
  );
}

const COLUMNS: readonly Column<Research>[] = [
  {
    id: "instructions",
    heading: "What",
    value: ({ instructions }) => instructions,
    cell: ({ researchId, instructions }) => (
      <Link className="wrap" to="/research/$id" params={{ id: researchId }}>
        {instructions.slice(0, 200)}
      </Link>
    ),
  },
  {
    id: "status",
    heading: "Status",
    value: ({ status }) => status,
    cell: ({ status }) => <ResearchBadge status={status} />,
  },
  { id: "model", heading: "Budget", value: ({ model }) => model },
  {
    id: "took",
    heading: "Took",
    isNumber: true,
    value: ({ createdAt, finishedAt = createdAt }) => finishedAt - createdAt,
    cell: ({ createdAt, finishedAt }) => (finishedAt === undefined ? "–" : formatDuration(finishedAt - createdAt)),
  },
  {
    id: "cost",
    heading: "Cost",
    isNumber: true,
    value: ({ costDollars }) => costDollars?.total ?? 0,
    cell: ({ costDollars }) => (costDollars === undefined ? "–" : formatDollars(costDollars.total)),
  },
  {
    id: "created",
    heading: "Begun",
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(new Date(createdAt).toISOString(), new Date()),
  },
];
