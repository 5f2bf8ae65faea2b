import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { DocumentFacts, Page } from "../../api/shapes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatNumber, hostOf } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { VirtualList, type VirtualColumn } from "../../ui/virtual-list.tsx";
import { say } from "../../words/say.ts";

const documentsQuery = infiniteQueryOptions({
  queryKey: ["index", "documents"],
  queryFn: ({ pageParam, signal }) => {
    const query = new URLSearchParams({ limit: "100", ...(pageParam === null ? {} : { cursor: pageParam }) });
    return send<Page<DocumentFacts>>(`/quarry/v1/documents?${query.toString()}`, { signal });
  },
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.nextCursor,
});

/** The team's own documents, newest visit first; each can be taken out. */
export function DocumentList(): ReactNode {
  const documents = useInfiniteQuery(documentsQuery);
  const rows = useMemo(() => documents.data?.pages.flatMap((page) => page.data) ?? [], [documents.data]);
  const [asking, setAsking] = useState<string>();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = documents;
  const fetchMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const columns = useMemo(() => [...COLUMNS, removeColumn(setAsking)], []);
  if (documents.data !== undefined && rows.length === 0) return null;
  return (
    <section className="card flush" aria-labelledby="documents">
      <div className="card-head">
        <h2 id="documents">{say("index.documents")}</h2>
        <span className="soft small">{say("index.newestVisitFirstSharedOnes")}</span>
      </div>
      {documents.isError ? <Trouble error={documents.error} retry={() => void documents.refetch()} /> : null}
      {documents.data === undefined ? (
        <div className="card">
          <SkeletonLines lines={6} />
        </div>
      ) : (
        <VirtualList
          label={say("index.documents")}
          rows={rows}
          columns={columns}
          rowHeight={52}
          onNearEnd={fetchMore}
        />
      )}
      {asking === undefined ? null : <RemoveDialog url={asking} close={() => setAsking(undefined)} />}
    </section>
  );
}

function RemoveDialog({ url, close }: { readonly url: string; readonly close: () => void }): ReactNode {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => send("/quarry/v1/documents", { method: "DELETE", body: { urls: [url] } }),
    onSuccess: () => {
      showToast({
        kind: "good",
        title: say("index.theDocumentIsDeleted"),
        text: say("index.searchForgetsItWithinSeconds"),
      });
      return queries.invalidateQueries({ queryKey: ["index"] });
    },
    onSettled: close,
  });
  return (
    <Dialog title={say("index.deleteThisDocument")} onClose={close}>
      <p className="wrap">{url}</p>
      <p className="soft">{say("index.aCrawlThatVisitsIt")}</p>
      <div className="row">
        <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {say("index.delete")}
        </button>
        <button type="button" className="button quiet" onClick={close}>
          {say("index.keepIt")}
        </button>
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly VirtualColumn<DocumentFacts>[] = [
  {
    heading: say("index.title"),
    width: "minmax(220px, 3fr)",
    cell: ({ title, url }) => (
      <>
        <div className="clip">
          <a href={url} target="_blank" rel="noreferrer noopener" title={url}>
            {title ?? url}
          </a>
        </div>
        <div className="clip faint small">{hostOf(url)}</div>
      </>
    ),
  },
  { heading: say("index.language"), width: "72px", cell: ({ language }) => language ?? "" },
  { heading: say("index.source"), width: "76px", cell: ({ source }) => source },
  { heading: say("index.words"), width: "68px", isNumber: true, cell: ({ wordCount }) => formatNumber(wordCount) },
  { heading: say("index.stored"), width: "96px", cell: ({ crawledAt }) => formatAgo(crawledAt, new Date()) },
];

function removeColumn(ask: (url: string) => void): VirtualColumn<DocumentFacts> {
  return {
    heading: "",
    width: "40px",
    cell: ({ url }) => (
      <button
        type="button"
        className="button quiet small"
        aria-label={say("index.deleteOfUrl", { url })}
        onClick={() => ask(url)}
      >
        <Icon name="close" />
      </button>
    ),
  };
}
