import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import { JudgedFigures } from "./judged-figures.tsx";
import type { JudgedQuery, JudgedRun } from "./judged-shapes.ts";
import { readJudgments, writeJudgments } from "./read-judgments.ts";

const route = getRouteApi("/lab");
const PATH = "/quarry/v1/judged-queries";

/** Queries whose good results are known, and how well each way of searching finds them, over time. */
export function LabScreen(): ReactNode {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const clients = useQueryClient();
  const queries = useQuery({
    queryKey: ["judged-queries"],
    queryFn: ({ signal }) => send<{ readonly data: readonly JudgedQuery[] }>(PATH, { signal }),
  });
  const runs = useQuery({
    queryKey: ["judged-runs"],
    queryFn: ({ signal }) => send<{ readonly data: readonly JudgedRun[] }>(`${PATH}/runs`, { signal }),
  });
  const run = useMutation({
    mutationFn: () => send<JudgedRun>(`${PATH}/runs`, { method: "POST" }),
    onSuccess: () => clients.invalidateQueries({ queryKey: ["judged-runs"] }),
  });
  const remove = useMutation({
    mutationFn: (id: string) => send(`${PATH}/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: () => clients.invalidateQueries({ queryKey: ["judged-queries"] }),
  });
  const [edited, setEdited] = useState<JudgedQuery>();
  const openForm = (query?: JudgedQuery): void => {
    setEdited(query);
    void navigate({ search: { dialog: "new" } });
  };
  const add = (
    <button type="button" className="button" onClick={() => openForm()}>
      <Icon name="plus" />
      {say("lab.newQuery")}
    </button>
  );
  const error = queries.error ?? runs.error;
  const columns: readonly Column<JudgedQuery>[] = [
    {
      id: "query",
      heading: say("lab.query"),
      isText: true,
      value: ({ query }) => query,
      cell: (query) => (
        <button type="button" className="link wrap" onClick={() => openForm(query)}>
          {query.query}
        </button>
      ),
    },
    { id: "pages", heading: say("lab.goodPages"), isNumber: true, value: ({ judgments }) => judgments.length },
    {
      id: "changed",
      heading: say("lab.changed"),
      value: ({ updatedAt }) => updatedAt,
      cell: ({ updatedAt }) => formatAgo(updatedAt, new Date()),
    },
    {
      id: "delete",
      heading: say("lab.delete"),
      value: () => "",
      cell: ({ id, query }) => (
        <button
          type="button"
          className="button quiet icon-only small"
          aria-label={say("lab.deleteOf", { query })}
          disabled={remove.isPending}
          onClick={() => remove.mutate(id)}
        >
          <Icon name="close" />
        </button>
      ),
    },
  ];
  return (
    <Page
      title={say("lab.indexLab")}
      lead={say("lab.lead")}
      actions={
        <>
          {add}
          <button
            type="button"
            className="button primary"
            disabled={run.isPending || (queries.data?.data.length ?? 0) === 0}
            onClick={() => run.mutate()}
          >
            {run.isPending ? say("lab.asking") : say("lab.askThemAll")}
          </button>
        </>
      }
    >
      {error === null ? null : <Trouble error={error} retry={() => void clients.invalidateQueries()} />}
      <JudgedFigures runs={runs.data?.data ?? []} />
      <section className="card flush" aria-label={say("lab.queries")}>
        {queries.data === undefined ? (
          queries.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : queries.data.data.length === 0 ? (
          <EmptyState icon="why" title={say("lab.noQueries")} actions={add}>
            <p>{say("lab.noQueriesHint")}</p>
          </EmptyState>
        ) : (
          <DataTable
            label={say("lab.queries")}
            columns={columns}
            rows={queries.data.data}
            rowKey={({ id }) => id}
            empty={say("lab.noQueries")}
          />
        )}
      </section>
      {dialog === "new" ? (
        <Dialog
          title={edited === undefined ? say("lab.newQuery") : say("lab.judgments")}
          onClose={() => void navigate({ search: {}, replace: true })}
        >
          <JudgedQueryForm query={edited} onSaved={() => void navigate({ search: {}, replace: true })} />
        </Dialog>
      ) : null}
    </Page>
  );
}

function JudgedQueryForm(props: { readonly query: JudgedQuery | undefined; readonly onSaved: () => void }): ReactNode {
  const clients = useQueryClient();
  const [query, setQuery] = useState(props.query?.query ?? "");
  const [text, setText] = useState(writeJudgments(props.query?.judgments ?? []));
  const save = useMutation({
    mutationFn: () => send(PATH, { method: "PUT", body: { query: query.trim(), judgments: readJudgments(text) } }),
    meta: { quiet: true },
    onSuccess: async () => {
      await clients.invalidateQueries({ queryKey: ["judged-queries"] });
      props.onSaved();
    },
  });
  return (
    <Form onSubmit={() => save.mutate()} error={save.error} submit={say("lab.save")} isDisabled={save.isPending}>
      <Field id="judged-query" label={say("lab.query")}>
        <input
          id="judged-query"
          className="input"
          required
          maxLength={500}
          readOnly={props.query !== undefined}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </Field>
      <Field id="judged-pages" label={say("lab.goodPagesOneALine")}>
        <textarea
          id="judged-pages"
          className="input code"
          required
          rows={6}
          spellCheck={false}
          aria-describedby="judged-pages-hint"
          placeholder={say("lab.example")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <p id="judged-pages-hint" className="hint">
          {say("lab.gradesHint")}
        </p>
      </Field>
    </Form>
  );
}
