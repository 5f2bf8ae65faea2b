import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { hostOf } from "../../ui/format.ts";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import type { AskSearch } from "./ask-search.ts";
import { similarQuery } from "./use-search.ts";
import { say } from "../../words/say.ts";

/** Pages like one page, by meaning. */
export function SimilarPanel(props: {
  readonly search: AskSearch;
  readonly url: string;
  readonly close: () => void;
}): ReactNode {
  const { search, url } = props;
  const similar = useQuery(similarQuery(search, url));
  return (
    <Dialog
      kind="panel"
      title={say("ask.similarPages")}
      subtitle={<p className="small soft wrap">{say("ask.to", { url })}</p>}
      onClose={props.close}
    >
      {similar.isError ? <Trouble error={similar.error} retry={() => void similar.refetch()} /> : null}
      {similar.data === undefined ? (
        similar.isPending && <SkeletonLines lines={10} />
      ) : similar.data.results.length === 0 ? (
        <p className="soft">{say("ask.noPageOfThisIndex")}</p>
      ) : (
        <ul className="stack">
          {similar.data.results.map((result) => (
            <li key={result.url} className="hit">
              <span className="hit-place">
                <span className="hit-letter" aria-hidden="true">
                  {hostOf(result.url).charAt(0)}
                </span>
                <span className="clip">{hostOf(result.url)}</span>
                {result.score === undefined ? null : <span className="number">· {result.score.toFixed(2)}</span>}
              </span>
              <h3>
                <Link to="/" search={{ ...search, panel: "page", url: result.url }}>
                  {result.title ?? result.url}
                </Link>
              </h3>
              {(result.highlights ?? []).slice(0, 1).map((highlight, index) => (
                <p key={index} className="soft small">
                  {highlight}
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
