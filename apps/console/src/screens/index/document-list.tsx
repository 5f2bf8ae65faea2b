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
        <h2 id="documents">Documents</h2>
        <span className="soft small">newest visit first; shared ones, such as the sample, are not listed</span>
      </div>
      {documents.isError ? <Trouble error={documents.error} retry={() => void documents.refetch()} /> : null}
      {documents.data === undefined ? (
        <div className="card">
          <SkeletonLines lines={6} />
        </div>
      ) : (
        <VirtualList label="Documents" rows={rows} columns={columns} rowHeight={52} onNearEnd={fetchMore} />
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
      showToast({ kind: "good", title: "The document is deleted", text: "Search forgets it within seconds." });
      return queries.invalidateQueries({ queryKey: ["index"] });
    },
    onSettled: close,
  });
  return (
    <Dialog title="Delete this document?" onClose={close}>
      <p className="wrap">{url}</p>
      <p className="soft">A crawl that visits it again brings it back.</p>
      <div className="row">
        <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </button>
        <button type="button" className="button quiet" onClick={close}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly VirtualColumn<DocumentFacts>[] = [
  {
    heading: "Title",
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
  { heading: "Language", width: "72px", cell: ({ language }) => language ?? "" },
  { heading: "Source", width: "76px", cell: ({ source }) => source },
  { heading: "Words", width: "68px", isNumber: true, cell: ({ wordCount }) => formatNumber(wordCount) },
  { heading: "Stored", width: "96px", cell: ({ crawledAt }) => formatAgo(crawledAt, new Date()) },
];

function removeColumn(ask: (url: string) => void): VirtualColumn<DocumentFacts> {
  return {
    heading: "",
    width: "40px",
    cell: ({ url }) => (
      <button type="button" className="button quiet small" aria-label={`Delete ${url}`} onClick={() => ask(url)}>
        <Icon name="close" />
      </button>
    ),
  };
}
