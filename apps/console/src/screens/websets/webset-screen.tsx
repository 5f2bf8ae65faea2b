import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { formatDuration, formatNumber, formatPercent } from "../../ui/format.ts";
import { Gauge } from "../../ui/gauge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toasts.ts";
import { StoredPage } from "../ask/stored-page.tsx";
import { arrangeItems, type Arrangement } from "./arrange-items.ts";
import { CellDrawer } from "./cell-drawer.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { GridToolbar } from "./grid-toolbar.tsx";
import { useLiveItems } from "./live-items.ts";
import { NewColumnForm } from "./new-column-form.tsx";
import { RunColumn, useRunColumn } from "./run-column.tsx";
import { undoLast } from "./undo-list.ts";
import { isAtWork, itemsQuery, ownPath, titleOfWebset, websetQuery } from "./use-websets.ts";
import { WebsetBadge } from "./webset-badge.tsx";
import { cellOf, listColumns, type WebsetColumn } from "./webset-columns.ts";
import { WebsetEvents } from "./webset-events.tsx";
import { WebsetGrid, type OpenCell } from "./webset-grid.tsx";
import type { Webset, WebsetItem } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const route = getRouteApi("/websets/$id");

/** One webset as it fills: how far it is, its grid, and the cell that is open. */
export function WebsetScreen(): ReactNode {
  const { id } = route.useParams();
  const { tab = "items" } = route.useSearch();
  const navigate = route.useNavigate();
  const webset = useQuery(websetQuery(id));
  if (webset.data === undefined) {
    return (
      <Page title={say("websets.webset")} lead={<Link to="/websets">{say("websets.allWebsets")}</Link>}>
        {webset.isError ? (
          <Trouble error={webset.error} retry={() => void webset.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </Page>
    );
  }
  const { data } = webset;
  return (
    <Page
      title={titleOfWebset(data)}
      lead={
        <span className="row">
          <Link to="/websets">{say("websets.allWebsets")}</Link>
          <WebsetBadge status={data.status} />
        </span>
      }
      actions={<Steering webset={data} />}
    >
      <Progress webset={data} />
      <Tabs
        label={say("websets.parts")}
        tabs={[
          ["items", say("websets.items")],
          ["events", say("websets.events")],
        ]}
        chosen={tab}
        onChoose={(next) =>
          void navigate({ search: (old) => ({ ...old, tab: next === "events" ? "events" : undefined }) })
        }
      />
      {tab === "events" ? <WebsetEvents websetId={data.id} isWorking={isAtWork(data)} /> : <Items webset={data} />}
    </Page>
  );
}

function Steering({ webset }: { readonly webset: Webset }): ReactNode {
  const queries = useQueryClient();
  const steer = useMutation({
    mutationFn: (move: "pause" | "resume" | "cancel") => {
      const base = move === "cancel" ? `/websets/v0/websets/${encodeURIComponent(webset.id)}` : ownPath(webset.id);
      return send<Webset>(`${base}/${move}`, { method: "POST" });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["webset", webset.id] }),
  });
  const button = (move: "pause" | "resume" | "cancel", words: string, look: string): ReactNode => (
    <button type="button" className={look} disabled={steer.isPending} onClick={() => steer.mutate(move)}>
      <Icon name={move === "pause" ? "pause" : move === "resume" ? "play" : "stop"} />
      {words}
    </button>
  );
  return (
    <>
      {webset.status === "paused" ? button("resume", say("websets.resume"), "button primary") : null}
      {isAtWork(webset) ? button("pause", say("websets.pause"), "button") : null}
      {isAtWork(webset) || webset.status === "paused" ? button("cancel", say("websets.cancel"), "button danger") : null}
      <ExportMenu websetId={webset.id} />
    </>
  );
}

function Progress({ webset }: { readonly webset: Webset }): ReactNode {
  const { searches } = webset;
  const sum = (of: (search: Webset["searches"][number]) => number): number =>
    searches.reduce((total, search) => total + of(search), 0);
  const completion = searches.length === 0 ? 100 : sum(({ progress }) => progress.completion) / searches.length;
  const open = searches.filter(({ status }) => status === "running" || status === "pending" || status === "created");
  const left = open.map(({ progress }) => progress.timeLeft).find((one) => one !== null);
  const recall = searches.find((search) => search.recall !== null)?.recall;
  const found = sum(({ progress }) => progress.found);
  return (
    <section className="stack" aria-label={say("websets.progress")}>
      <div
        className="meter"
        role="progressbar"
        aria-label={say("websets.searched")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(completion)}
      >
        <span style={{ width: `${completion}%` }} />
      </div>
      <dl className="figures">
        <div>
          <dt>{say("websets.found")}</dt>
          <dd>
            {formatNumber(found)}{" "}
            <small>{say("websets.ofOfNumber", { number: formatNumber(sum(({ count }) => count)) })}</small>
          </dd>
        </div>
        <div>
          <dt>{say("websets.judged")}</dt>
          <dd>{formatNumber(sum(({ progress }) => progress.analyzed))}</dd>
        </div>
        <div>
          <dt>{say("websets.left")}</dt>
          <dd>
            {open.length === 0
              ? say("websets.nothing")
              : left === undefined
                ? say("websets.unknown")
                : say("websets.about", { duration: formatDuration(left * 1_000) })}
          </dd>
        </div>
        {recall === undefined || recall === null ? null : <Recall recall={recall} found={found} />}
      </dl>
    </section>
  );
}

/** How much of what there is was found, as a gauge, with how sure that is. */
function Recall(props: {
  readonly recall: NonNullable<Webset["searches"][number]["recall"]>;
  readonly found: number;
}): ReactNode {
  const { expected, reasoning } = props.recall;
  const share = expected.total <= 0 ? 1 : Math.min(1, props.found / expected.total);
  const words = say("websets.recallOf", { found: props.found, total: expected.total });
  return (
    <div title={reasoning}>
      <dt>{say("websets.recall")}</dt>
      <dd>
        <span className="row tight">
          <Gauge share={share} label={say("websets.recall")} words={words} />
          {formatPercent(share)}
        </span>
        <small>
          {words}
          {expected.bounds.min === expected.bounds.max ? null : (
            <>
              ,{" "}
              {say("websets.to", {
                min: formatNumber(expected.bounds.min),
                max: formatNumber(expected.bounds.max),
              })}
            </>
          )}
        </small>
      </dd>
    </div>
  );
}

function Items({ webset }: { readonly webset: Webset }): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const found = useInfiniteQuery(itemsQuery(webset.id, isAtWork(webset)));
  const queries = useQueryClient();
  useLiveItems(webset.id);
  // The last items come in the moment the work ends: they are read once more when the webset has changed its mind.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["webset-items", webset.id] });
  }, [queries, webset.id, webset.status]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const columns = useMemo(() => listColumns(webset), [webset]);
  const all = useMemo(() => found.data?.pages.flatMap(({ data }) => data) ?? [], [found.data]);
  const { words, show, sort, group, desc: isDescending = false } = address;
  const entries = useMemo(
    () => arrangeItems(all, columns, { words, show, sort, group, isDescending }),
    [all, columns, words, show, sort, group, isDescending],
  );
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  // What is sorted, grouped or filtered must be there first.
  const needsAll = sort !== undefined || group !== undefined || show !== undefined || words !== undefined;
  useEffect(() => {
    if (needsAll) onNearEnd();
  }, [needsAll, onNearEnd, found.data]);
  const arrange = (change: Arrangement): void => {
    const { isDescending: desc, ...rest } = change;
    const turned = "isDescending" in change ? { desc: desc === true ? (true as const) : undefined } : {};
    void navigate({ search: (old) => ({ ...old, ...rest, ...turned }), replace: true });
  };
  const onOpen = useCallback<OpenCell>(
    (item, column, how) =>
      void navigate({
        search: (old) => ({
          ...old,
          item: item.id,
          column: column.key,
          edit: how?.isEditing === true ? true : undefined,
        }),
      }),
    [navigate],
  );
  const run = useRunColumn(webset.id);
  const undo = useUndo(webset.id);
  const item = all.find(({ id }) => id === address.item);
  const column = columns.find(({ key }) => key === address.column);
  const running = columns.find(({ key }) => key === address.run);
  const { url } = address;
  return (
    <section className="card flush" aria-label={say("websets.itemsOfTheWebset")}>
      <div className="card-head">
        <GridToolbar columns={columns} arrangement={{ words, show, sort, group, isDescending }} onArrange={arrange} />
        <NewColumnForm websetId={webset.id} />
      </div>
      {found.isError ? <Trouble error={found.error} retry={() => void found.refetch()} /> : null}
      {entries.length === 0 ? (
        <NoItems webset={webset} isFiltered={needsAll} isLoading={found.isPending} />
      ) : (
        <WebsetGrid
          entries={entries}
          columns={columns}
          sort={sort}
          isDescending={isDescending}
          onOpen={onOpen}
          onRun={(one, of) => {
            if (of !== undefined) run.mutate({ key: one.key, wish: { itemIds: [of.id] } });
            else void navigate({ search: (old) => ({ ...old, run: one.key }) });
          }}
          onSort={(key) => arrange(sort === key ? { isDescending: !isDescending } : { sort: key, isDescending: false })}
          onUndo={() => undo.mutate()}
          onNearEnd={onNearEnd}
        />
      )}
      {running === undefined ? null : (
        <RunColumn
          websetId={webset.id}
          column={running}
          close={() => void navigate({ search: (old) => ({ ...old, run: undefined }), replace: true })}
        />
      )}
      {item === undefined || column === undefined ? null : (
        <CellDrawer
          key={`${item.id} ${column.key}`}
          websetId={webset.id}
          item={item}
          column={column}
          isEditing={address.edit === true}
          onQuote={(quoted) => void navigate({ search: (old) => ({ ...old, url: quoted }) })}
          close={() =>
            void navigate({
              search: (old) => ({ ...old, item: undefined, column: undefined, edit: undefined, url: undefined }),
              replace: true,
            })
          }
        />
      )}
      {url === undefined || item === undefined || column === undefined ? null : (
        <StoredPage
          key={url}
          url={url}
          quotes={quotesOf(item, column, url)}
          close={() => void navigate({ search: (old) => ({ ...old, url: undefined }), replace: true })}
        />
      )}
    </section>
  );
}

/** What stands where no item does: that they are coming, that none is like that, or why none was found. */
function NoItems(props: {
  readonly webset: Webset;
  readonly isFiltered: boolean;
  readonly isLoading: boolean;
}): ReactNode {
  const { webset } = props;
  if (props.isLoading) {
    return (
      <div className="card">
        <SkeletonLines lines={6} />
      </div>
    );
  }
  if (props.isFiltered) return <EmptyState icon="grid" title={say("websets.noItemIsLikeThat")} />;
  if (isAtWork(webset)) return <EmptyState icon="grid" title={say("websets.nothingFoundYet")} />;
  const judged = webset.searches.reduce((sum, { progress }) => sum + progress.analyzed, 0);
  const [hardest] = webset.searches
    .flatMap(({ criteria }) => criteria)
    .toSorted((one, other) => one.successRate - other.successRate);
  return (
    <EmptyState icon="grid" title={say("websets.itHoldsNoItems")}>
      {judged === 0 || hardest === undefined ? null : (
        <p>
          {say("websets.noneMetThem", {
            judged,
            criterion: hardest.description,
            rate: formatPercent(hardest.successRate / 100),
          })}
        </p>
      )}
    </EmptyState>
  );
}

/** Puts back what stood in the cell that was changed last. */
function useUndo(websetId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => undoLast(websetId, say("websets.undone")),
    onSuccess: async (change) => {
      showToast({ kind: "good", title: change === undefined ? say("websets.nothingToUndo") : say("websets.undone") });
      await queries.invalidateQueries({ queryKey: ["webset-items", websetId] });
    },
  });
}

function quotesOf(item: WebsetItem, column: WebsetColumn, url: string): readonly string[] {
  const cell = cellOf(item, column);
  const source = cell.kind === "verdict" ? cell.evaluation : cell.kind === "value" ? cell.result : undefined;
  return (source?.references ?? []).flatMap((reference) =>
    reference.url === url && reference.snippet !== null ? [reference.snippet] : [],
  );
}
