import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { Page as PageOf } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatTime } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { Badge, EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import { titleOfWebset, websetsQuery } from "../websets/use-websets.ts";
import { describeCadence } from "./cadence-words.ts";
import { ChangeFeed } from "./change-feed.tsx";
import { MonitorCalendar } from "./monitor-calendar.tsx";
import type { Monitor } from "./monitor-shapes.ts";
import { NewMonitorForm } from "./new-monitor-form.tsx";
import { WatchedPages } from "./watched-pages.tsx";

const route = getRouteApi("/monitors");
const LOOK_AGAIN_MS = 5_000;

/** Websets that are kept up to date by themselves: when they ran, when they run next, and what to change. */
export function MonitorsScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const monitors = useQuery({
    queryKey: ["monitors"],
    queryFn: ({ signal }) => send<PageOf<Monitor>>("/websets/v0/monitors?limit=200", { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const websets = useQuery(websetsQuery);
  const change = useMutation({
    mutationFn: ({ monitor, move }: { readonly monitor: Monitor; readonly move: Move }) => {
      const path = `/websets/v0/monitors/${encodeURIComponent(monitor.id)}`;
      if (move === "run")
        return send(`/quarry/v1/monitors/${encodeURIComponent(monitor.id)}/trigger`, { method: "POST" });
      if (move === "delete") return send(path, { method: "DELETE" });
      return send(path, { method: "PATCH", body: { status: monitor.status === "enabled" ? "disabled" : "enabled" } });
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["monitors"] });
      await queries.invalidateQueries({ queryKey: ["monitor-calendar"] });
    },
  });
  const nameOf = (websetId: string): string => {
    const webset = websets.data?.data.find(({ id }) => id === websetId);
    return webset === undefined ? websetId : titleOfWebset(webset);
  };
  const newMonitor = (
    <button type="button" className="button primary" onClick={() => void navigate({ search: { dialog: "new" } })}>
      <Icon name="plus" />
      {say("monitors.newMonitor")}
    </button>
  );
  const button = (monitor: Monitor, move: Move, words: string): ReactNode => (
    <button
      type="button"
      className="button small"
      aria-label={say("monitors.moveOf", { move: words, webset: nameOf(monitor.websetId) })}
      disabled={change.isPending}
      onClick={() => change.mutate({ monitor, move })}
    >
      {words}
    </button>
  );
  const columns: readonly Column<Monitor>[] = [
    {
      id: "webset",
      heading: say("monitors.webset"),
      isText: true,
      value: ({ websetId }) => nameOf(websetId),
      cell: ({ websetId }) => (
        <Link className="wrap" to="/websets/$id" params={{ id: websetId }}>
          {nameOf(websetId)}
        </Link>
      ),
    },
    {
      id: "what",
      heading: say("monitors.what"),
      isText: true,
      value: ({ behavior }) => (behavior.type === "search" ? say("monitors.search") : say("monitors.refresh")),
    },
    { id: "when", heading: say("monitors.when"), isText: true, value: ({ cadence }) => describeCadence(cadence) },
    {
      id: "status",
      heading: say("monitors.status"),
      value: ({ status }) => status,
      cell: ({ status }) => <Badge tone={status === "enabled" ? "live" : "idle"}>{status}</Badge>,
    },
    {
      id: "last",
      heading: say("monitors.last"),
      value: ({ lastRun }) => lastRun?.createdAt ?? "",
      cell: ({ lastRun }) =>
        lastRun === null ? "–" : `${lastRun.status}, ${formatAgo(lastRun.createdAt, new Date())}`,
    },
    {
      id: "next",
      heading: say("monitors.next"),
      value: ({ nextRunAt }) => nextRunAt ?? "",
      cell: ({ nextRunAt }) => (nextRunAt === null ? "–" : formatTime(nextRunAt)),
    },
    {
      id: "change",
      heading: say("monitors.change"),
      value: () => "",
      cell: (monitor) => (
        <span className="row tight">
          {button(monitor, "run", say("monitors.runNow"))}
          {button(monitor, "turn", monitor.status === "enabled" ? say("monitors.pause") : say("monitors.resume"))}
          {button(monitor, "delete", say("monitors.delete"))}
        </span>
      ),
    },
  ];
  return (
    <Page title={say("monitors.monitors")} lead={say("monitors.lead")} actions={newMonitor}>
      {monitors.isError ? <Trouble error={monitors.error} retry={() => void monitors.refetch()} /> : null}
      {monitors.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : monitors.data.data.length === 0 ? (
        <section className="card flush">
          <EmptyState icon="again" title={say("monitors.none")} actions={newMonitor}>
            <p>{say("monitors.noneHint")}</p>
          </EmptyState>
        </section>
      ) : (
        <>
          <section className="card flush" aria-label={say("monitors.monitors")}>
            <DataTable
              label={say("monitors.monitors")}
              columns={columns}
              rows={monitors.data.data}
              rowKey={({ id }) => id}
              empty={say("monitors.none")}
            />
          </section>
          <MonitorCalendar nameOf={nameOf} />
        </>
      )}
      <WatchedPages />
      <ChangeFeed websetName={nameOf} />
      {dialog === "new" ? (
        <Dialog title={say("monitors.newMonitor")} onClose={() => void navigate({ search: {}, replace: true })}>
          <NewMonitorForm
            websets={websets.data?.data ?? []}
            onMade={() => void navigate({ search: {}, replace: true })}
          />
        </Dialog>
      ) : null}
    </Page>
  );
}

type Move = "run" | "turn" | "delete";
