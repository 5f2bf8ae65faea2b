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
import { say } from "../../words/say.ts";

const route = getRouteApi("/research");

/** The team's research tasks, and the form that begins one. */
export function ResearchListScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery(researchListQuery);
  const newResearch = (
    <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
      <Icon name="plus" />
      {say("research.newResearch")}
    </button>
  );
  return (
    <Page title={say("research.research")} lead={say("research.questionsTooLargeForOne")} actions={newResearch}>
      {list.isError ? <Trouble error={list.error} retry={() => void list.refetch()} /> : null}
      <section className="card flush" aria-label={say("research.research")}>
        {list.data === undefined ? (
          list.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : list.data.data.length === 0 ? (
          <EmptyState icon="research" title={say("research.nothingHasBeenResearched")} actions={newResearch}>
            <p>{say("research.sayWhatToFindOut")}</p>
          </EmptyState>
        ) : (
          <DataTable
            label={say("research.research")}
            columns={COLUMNS}
            rows={list.data.data}
            rowKey={({ researchId }) => researchId}
            empty={say("research.noResearch")}
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog title={say("research.newResearch")} onClose={() => void navigate({ search: {}, replace: true })}>
          <NewResearchForm />
        </Dialog>
      ) : null}
    </Page>
  );
}

const COLUMNS: readonly Column<Research>[] = [
  {
    id: "instructions",
    heading: say("research.what"),
    isText: true,
    value: ({ instructions }) => instructions,
    cell: ({ researchId, instructions }) => (
      <Link className="wrap" to="/research/$id" params={{ id: researchId }}>
        {instructions.slice(0, 200)}
      </Link>
    ),
  },
  {
    id: "status",
    heading: say("research.status"),
    value: ({ status }) => status,
    cell: ({ status }) => <ResearchBadge status={status} />,
  },
  { id: "model", heading: say("research.budget"), value: ({ model }) => model },
  {
    id: "took",
    heading: say("research.took"),
    isNumber: true,
    value: ({ createdAt, finishedAt = createdAt }) => finishedAt - createdAt,
    cell: ({ createdAt, finishedAt }) => (finishedAt === undefined ? "–" : formatDuration(finishedAt - createdAt)),
  },
  {
    id: "cost",
    heading: say("research.cost"),
    isNumber: true,
    value: ({ costDollars }) => costDollars?.total ?? 0,
    cell: ({ costDollars }) => (costDollars === undefined ? "–" : formatDollars(costDollars.total)),
  },
  {
    id: "created",
    heading: say("research.begun"),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(new Date(createdAt).toISOString(), new Date()),
  },
];
