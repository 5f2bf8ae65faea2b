import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { WholeDocument } from "../../api/shapes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatNumber, formatTime, hostOf } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Pieces } from "../../ui/pieces.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import type { AskSearch } from "./ask-search.ts";
import { findQuotes, markParagraphs } from "./mark-quotes.ts";
import { searchQuery } from "./use-search.ts";

/** The text of a stored page with the quotes of its result marked, scrolled to the first. */
export function PagePanel(props: {
  readonly search: AskSearch;
  readonly url: string;
  readonly close: () => void;
}): ReactNode {
  const { search, url } = props;
  const page = useQuery({
    queryKey: ["document", url],
    queryFn: ({ signal }) =>
      send<WholeDocument>(`/quarry/v1/documents?${new URLSearchParams({ url }).toString()}`, { signal }),
  });
  const { data: found } = useQuery(searchQuery(search));
  const result = found?.results.find((one) => one.url === url);
  return (
    <Dialog
      kind="panel"
      title={page.data?.title ?? result?.title ?? hostOf(url)}
      subtitle={
        <p className="small">
          <a className="wrap" href={url} target="_blank" rel="noreferrer noopener">
            {url}
          </a>
        </p>
      }
      onClose={props.close}
    >
      {page.isError ? <Trouble error={page.error} retry={() => void page.refetch()} /> : null}
      {page.data === undefined ? (
        page.isPending && <SkeletonLines lines={12} />
      ) : (
        <div className="stack loose">
          <div className="row small soft">
            <span>Stored {formatTime(page.data.crawledAt)}</span>
            <span>· {formatNumber(page.data.wordCount)} words</span>
            {page.data.language === null ? null : <span>· {page.data.language}</span>}
            <span>· version {page.data.version}</span>
            <a
              className="button small"
              href={`/quarry/v1/snapshots/${page.data.snapshotId}/content`}
              target="_blank"
              rel="noreferrer"
            >
              <Icon name="page" />
              As it was read
            </a>
          </div>
          <MarkedText
            text={page.data.text}
            quotes={result?.highlights ?? []}
            ranges={result?.quarry?.snapshotId === page.data.snapshotId ? (result.quarry.highlights ?? []) : []}
          />
        </div>
      )}
    </Dialog>
  );
}

function MarkedText(props: {
  readonly text: string;
  readonly quotes: readonly string[];
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}): ReactNode {
  const { text, quotes, ranges } = props;
  const paragraphs = useMemo(() => markParagraphs(text, findQuotes(text, quotes, ranges)), [text, quotes, ranges]);
  const first = paragraphs.findIndex((pieces) => pieces.some(({ isMarked }) => isMarked));
  const hasScrolled = useRef(false);
  return (
    <div className="reading">
      {paragraphs.map((pieces, index) => (
        <p
          key={index}
          ref={(element) => {
            if (index !== first || hasScrolled.current || element === null) return;
            hasScrolled.current = true;
            element.scrollIntoView({ block: "center" });
          }}
        >
          <Pieces pieces={pieces} />
        </p>
      ))}
    </div>
  );
}
