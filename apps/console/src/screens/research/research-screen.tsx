import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { formatDollars, formatDuration, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Page } from "../../ui/page.tsx";
import { readMarkdown } from "../../ui/read-markdown.ts";
import { saveFile } from "../../ui/save-file.ts";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toasts.ts";
import { writeHtml } from "../../ui/write-html.ts";
import { StoredPage } from "../ask/stored-page.tsx";
import { ResearchBadge } from "./research-badge.tsx";
import type { Research } from "./research-shapes.ts";
import { ResearchSources } from "./research-sources.tsx";
import { BUDGETS, buildTree, listMetPages, type TreePlan } from "./research-tree.ts";
import { ResearchTreeView } from "./research-tree-view.tsx";
import { isFinished, useLiveResearch } from "./use-research.ts";
import { say } from "../../words/say.ts";

const route = getRouteApi("/research/$id");
const TICK_MS = 1_000;
const MOST_TITLE = 120;

/** One research as it goes on: what it uses of its budget, its report, its steps and its sources. */
export function ResearchScreen(): ReactNode {
  const { id } = route.useParams();
  const { view = "report", url } = route.useSearch();
  const navigate = route.useNavigate();
  const { research, isLive } = useLiveResearch(id);
  const events = research.data?.events;
  const plans = useMemo(() => buildTree(events ?? []), [events]);
  if (research.data === undefined) {
    return (
      <Page title={say("research.research")} lead={<Link to="/research">{say("research.allResearch")}</Link>}>
        {research.isError ? (
          <Trouble error={research.error} retry={() => void research.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </Page>
    );
  }
  const { data } = research;
  const openSource = (source: string): void => void navigate({ search: (old) => ({ ...old, url: source }) });
  const cited = data.citations?.find((citation) => citation.url === url);
  return (
    <Page
      title={titleOf(data)}
      lead={
        <span className="row">
          <Link to="/research">{say("research.allResearch")}</Link>
          <ResearchBadge status={data.status} />
          {isFinished(data) ? null : (
            <Badge tone={isLive ? "good" : "warn"}>{isLive ? say("research.live") : say("research.connecting")}</Badge>
          )}
          <span>{data.model}</span>
        </span>
      }
      actions={<Actions research={data} />}
    >
      <Budget research={data} />
      {isFinished(data) ? null : <FurtherWish id={id} />}
      {data.error === undefined ? null : <Trouble error={new Error(data.error)} />}
      <Tabs
        label={say("research.parts")}
        tabs={[
          ["report", say("research.report")],
          ["steps", say("research.steps")],
          ["sources", say("research.sources")],
        ]}
        chosen={view}
        onChoose={(next) => void navigate({ search: { view: next === "report" ? undefined : next } })}
      />
      {view === "report" ? <Report research={data} plans={plans} onCite={openSource} /> : null}
      {view === "steps" ? (
        <section className="card" aria-label={say("research.stepsOfTheRun")}>
          <ResearchTreeView plans={plans} />
        </section>
      ) : null}
      {view === "sources" ? <ResearchSources research={data} onOpen={openSource} /> : null}
      {url === undefined ? null : (
        <StoredPage
          key={url}
          url={url}
          title={cited?.title}
          quotes={cited === undefined ? [] : [cited.snippet]}
          close={() => void navigate({ search: (old) => ({ ...old, url: undefined }), replace: true })}
        />
      )}
    </Page>
  );
}

function Actions({ research }: { readonly research: Research }): ReactNode {
  const { researchId: id, output } = research;
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => send<Research>(`/quarry/v1/research/${encodeURIComponent(id)}/cancel`, { method: "POST" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["research", id] }),
  });
  if (!isFinished(research)) {
    return (
      <button type="button" className="button danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        <Icon name="stop" />
        {say("research.cancel")}
      </button>
    );
  }
  if (output === undefined) return null;
  const save = (ending: "md" | "html" | "json"): void => {
    const name = `research-${id}.${ending}`;
    if (ending === "md") saveFile(name, "text/markdown", output.content);
    else if (ending === "html") saveFile(name, "text/html", writeHtml(titleOf(research), readMarkdown(output.content)));
    else saveFile(name, "application/json", `${JSON.stringify(research, null, 2)}\n`);
  };
  return (
    <span className="row" role="group" aria-label={say("research.download")}>
      {(["md", "html", "json"] as const).map((ending) => (
        <button key={ending} type="button" className="button" onClick={() => save(ending)}>
          {ending === "md" ? say("research.markdown") : ending.toUpperCase()}
        </button>
      ))}
    </span>
  );
}

/** One more thing to find out, for the run that is under way. */
function FurtherWish({ id }: { readonly id: string }): ReactNode {
  const queries = useQueryClient();
  const [wish, setWish] = useState("");
  const steer = useMutation({
    mutationFn: () =>
      send<Research>(`/quarry/v1/research/${encodeURIComponent(id)}/steer`, {
        method: "POST",
        body: { instructions: wish.trim() },
      }),
    onSuccess: async () => {
      setWish("");
      showToast({ kind: "good", title: say("research.wishTaken"), text: say("research.wishTakenHint") });
      await queries.invalidateQueries({ queryKey: ["research", id] });
    },
  });
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        steer.mutate();
      }}
    >
      <input
        className="input grow"
        aria-label={say("research.furtherWish")}
        placeholder={say("research.furtherWish")}
        required
        maxLength={50_000}
        value={wish}
        onChange={(event) => setWish(event.target.value)}
      />
      <button type="submit" className="button" disabled={steer.isPending}>
        {say("research.addTheWish")}
      </button>
    </form>
  );
}

/** What the run has used of what it may use. */
function Budget({ research }: { readonly research: Research }): ReactNode {
  const { createdAt, finishedAt, events = [], costDollars, model } = research;
  const now = useNow(!isFinished(research));
  const { maxPages, maxMs } = BUDGETS[model];
  // Pages as they are counted here, not as the price list counts them: by a thousand tokens each.
  const pages = [...listMetPages(events).values()].filter((kind) => kind === "read").length;
  const began = events[0]?.createdAt ?? createdAt;
  const ms = Math.max(0, (finishedAt ?? now) - began);
  const share = Math.min(1, Math.max(pages / maxPages, ms / maxMs));
  const searches =
    costDollars?.numSearches ?? events.filter((event) => "data" in event && event.data.type === "search").length;
  return (
    <section className="stack" aria-label={say("research.budget")}>
      <div
        className="meter"
        role="progressbar"
        aria-label={say("research.budgetUsed")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <dl className="figures">
        <div>
          <dt>{say("research.pagesRead")}</dt>
          <dd>
            {formatNumber(pages)} <small>{say("research.of", { maxPages })}</small>
          </dd>
        </div>
        <div>
          <dt>{say("research.searches")}</dt>
          <dd>{formatNumber(searches)}</dd>
        </div>
        <div>
          <dt>{say("research.time")}</dt>
          <dd>
            {formatDuration(ms)} <small>{say("research.ofOfMaxMs", { maxMs: formatDuration(maxMs) })}</small>
          </dd>
        </div>
        <div>
          <dt>{say("research.cost")}</dt>
          <dd>{costDollars === undefined ? "–" : formatDollars(costDollars.total)}</dd>
        </div>
      </dl>
    </section>
  );
}

/** The report; until it is there, what each task has found so far. */
function Report(props: {
  readonly research: Research;
  readonly plans: readonly TreePlan[];
  readonly onCite: (url: string) => void;
}): ReactNode {
  const { research, plans, onCite } = props;
  const { output, citations = [] } = research;
  const quoteOf = (url: string): string | undefined => citations.find((citation) => citation.url === url)?.snippet;
  const isDraft = output === undefined;
  const found = plans.flatMap(({ tasks }) => tasks).filter(({ content }) => content !== undefined);
  const text = output?.content ?? found.map((task) => `## ${task.instructions}\n\n${task.content ?? ""}`).join("\n\n");
  return (
    <section
      className="card stack"
      aria-label={isDraft ? say("research.foundSoFar") : say("research.report")}
      aria-busy={!isFinished(research)}
    >
      {isDraft && !isFinished(research) ? (
        <p className="soft" role="status">
          {found.length === 0 ? say("research.nothingHasBeenFoundYet") : say("research.foundSoFarTheReport")}
        </p>
      ) : null}
      {text === "" ? null : research.outputSchema !== undefined && output !== undefined ? (
        <JsonView label={say("research.result")} text={JSON.stringify(output.parsed ?? output.content, null, 2)} />
      ) : (
        <Markdown text={text} quoteOf={quoteOf} onCite={onCite} />
      )}
      {text === "" && isFinished(research) ? <p className="soft">{say("research.itEndedWithoutAReport")}</p> : null}
    </section>
  );
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}

function titleOf({ instructions }: Research): string {
  const [first = ""] = instructions.split("\n");
  return first.length > MOST_TITLE ? `${first.slice(0, MOST_TITLE)}…` : first;
}
