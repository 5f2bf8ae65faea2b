import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { WholeDocument } from "../../api/shapes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatNumber, formatTime, hostOf } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Pieces } from "../../ui/pieces.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { findQuotes, markParagraphs } from "./mark-quotes.ts";
import { say } from "../../words/say.ts";

const NO_RANGES: readonly { readonly start: number; readonly end: number }[] = [];

/** Where a quote of a page comes from: its words, and its places when they are known for a snapshot. */
export interface PageQuotes {
  readonly quotes: readonly string[];
  readonly ranges?: readonly { readonly start: number; readonly end: number }[] | undefined;
  readonly snapshotId?: string | null | undefined;
}

/** The text of a stored page with quotes marked, scrolled to the first. */
export function StoredPage(
  props: PageQuotes & {
    readonly url: string;
    readonly title?: string | null | undefined;
    readonly close: () => void;
  },
): ReactNode {
  const { url, quotes, ranges = NO_RANGES, snapshotId } = props;
  const page = useQuery({
    queryKey: ["document", url],
    queryFn: ({ signal }) =>
      send<WholeDocument>(`/quarry/v1/documents?${new URLSearchParams({ url }).toString()}`, { signal }),
  });
  return (
    <Dialog
      kind="panel"
      title={page.data?.title ?? props.title ?? hostOf(url)}
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
            <span>{say("ask.stored", { crawledAt: formatTime(page.data.crawledAt) })}</span>
            <span>{say("ask.words", { wordCount: formatNumber(page.data.wordCount) })}</span>
            {page.data.language === null ? null : <span>· {page.data.language}</span>}
            <span>{say("ask.version", { version: page.data.version })}</span>
            <a
              className="button small"
              href={`/quarry/v1/snapshots/${page.data.snapshotId}/content`}
              target="_blank"
              rel="noreferrer"
            >
              <Icon name="page" />
              {say("ask.asItWasRead")}
            </a>
          </div>
          <MarkedText
            text={page.data.text}
            quotes={quotes}
            ranges={snapshotId === page.data.snapshotId ? ranges : NO_RANGES}
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
