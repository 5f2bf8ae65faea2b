import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { Page as PageOf } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo, formatDuration, formatTime } from "../../ui/format.ts";
import { Field, Form } from "../../ui/form.tsx";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import type { PageMonitor } from "./monitor-shapes.ts";

const LOOK_AGAIN_MS = 3_000;
const PATH = "/quarry/v1/page-monitors";
const MINUTE_MS = 60_000;

/** Pages that are read again every so often; each change of one is told with its diff. */
export function WatchedPages(): ReactNode {
  const queries = useQueryClient();
  const pages = useQuery({
    queryKey: ["page-monitors"],
    queryFn: ({ signal }) => send<PageOf<PageMonitor>>(`${PATH}?limit=200`, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const change = useMutation({
    mutationFn: ({ id, move }: { readonly id: string; readonly move: "check" | "delete" }) => {
      const path = `${PATH}/${encodeURIComponent(id)}`;
      return move === "check" ? send(`${path}/check`, { method: "POST" }) : send(path, { method: "DELETE" });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["page-monitors"] }),
  });
  const button = ({ id, url }: PageMonitor, move: "check" | "delete", words: string): ReactNode => (
    <button
      type="button"
      className="button small"
      aria-label={say("monitors.moveOf", { move: words, webset: url })}
      disabled={change.isPending}
      onClick={() => change.mutate({ id, move })}
    >
      {words}
    </button>
  );
  const columns: readonly Column<PageMonitor>[] = [
    ...COLUMNS,
    {
      id: "change",
      heading: say("monitors.change"),
      value: () => "",
      cell: (page) => (
        <span className="row">
          {button(page, "check", say("monitors.lookNow"))}
          {button(page, "delete", say("monitors.delete"))}
        </span>
      ),
    },
  ];
  return (
    <section className="card stack" aria-label={say("monitors.watchedPages")}>
      <div>
        <h2>{say("monitors.watchedPages")}</h2>
        <p className="soft">{say("monitors.watchedPagesLead")}</p>
      </div>
      <WatchForm />
      {pages.isError ? <Trouble error={pages.error} retry={() => void pages.refetch()} /> : null}
      {pages.data === undefined ? (
        pages.isError ? null : (
          <SkeletonLines lines={3} />
        )
      ) : (
        <DataTable
          label={say("monitors.watchedPages")}
          columns={columns}
          rows={pages.data.data}
          rowKey={({ id }) => id}
          empty={say("monitors.noPageIsWatched")}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<PageMonitor>[] = [
  {
    id: "url",
    heading: say("monitors.page"),
    isText: true,
    value: ({ url }) => url,
    cell: ({ url }) => <span className="wrap">{url}</span>,
  },
  {
    id: "every",
    heading: say("monitors.every"),
    isNumber: true,
    value: ({ everyMinutes }) => everyMinutes,
    cell: ({ everyMinutes }) => formatDuration(everyMinutes * MINUTE_MS),
  },
  {
    id: "checks",
    heading: say("monitors.looks"),
    isNumber: true,
    value: ({ checks }) => checks,
  },
  { id: "changes", heading: say("monitors.changes"), isNumber: true, value: ({ changes }) => changes },
  {
    id: "last",
    heading: say("monitors.lastLook"),
    value: ({ lastCheckedAt }) => lastCheckedAt ?? "",
    cell: ({ lastCheckedAt, error }) => (
      <>
        {lastCheckedAt === null ? "–" : formatAgo(lastCheckedAt, new Date())}{" "}
        {error === null ? null : <Badge tone="bad">{error}</Badge>}
      </>
    ),
  },
  {
    id: "next",
    heading: say("monitors.nextLook"),
    value: ({ nextCheckAt }) => nextCheckAt ?? "",
    cell: ({ nextCheckAt }) => (nextCheckAt === null ? "–" : formatTime(nextCheckAt)),
  },
];

function WatchForm(): ReactNode {
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const [everyMinutes, setEveryMinutes] = useState("1440");
  const watch = useMutation({
    mutationFn: () => send(PATH, { method: "POST", body: { url: url.trim(), everyMinutes: Number(everyMinutes) } }),
    meta: { quiet: true },
    onSuccess: async () => {
      setUrl("");
      await queries.invalidateQueries({ queryKey: ["page-monitors"] });
    },
  });
  return (
    <Form
      onSubmit={() => watch.mutate()}
      error={watch.error}
      submit={say("monitors.watchThePage")}
      isDisabled={watch.isPending}
      isQuiet
    >
      <div className="grid">
        <Field id="watch-url" label={say("monitors.pageToWatch")}>
          <input
            id="watch-url"
            className="input"
            type="url"
            required
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </Field>
        <Field id="watch-every" label={say("monitors.everyMinutes")}>
          <input
            id="watch-every"
            className="input"
            type="number"
            min={5}
            max={43_200}
            required
            value={everyMinutes}
            onChange={(event) => setEveryMinutes(event.target.value)}
          />
        </Field>
      </div>
    </Form>
  );
}
