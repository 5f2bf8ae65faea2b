import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { formatDollars, formatDuration } from "../../ui/format.ts";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import type { AskSearch } from "./ask-search.ts";
import type { SearchReply } from "./search-shapes.ts";
import { explainQuery } from "./use-search.ts";
import { say } from "../../words/say.ts";
import { sayCount } from "../../words/say-count.ts";

const COLORS = ["fill-1", "fill-2", "fill-3"] as const;

/** How many results came how quickly; on request, how long each stage took. */
export function Timing({ search, reply }: { readonly search: AskSearch; readonly reply: SearchReply }): ReactNode {
  const [showsStages, setShowsStages] = useState(false);
  const { results, searchTime, resolvedSearchType, costDollars } = reply;
  const cost = costDollars?.total ?? 0;
  return (
    <div className="stack">
      <div className="row small soft" role="status">
        <span className="number">
          {sayCount("ask.results", results.length)}
          {searchTime === undefined ? "" : say("ask.in", { searchTime: formatDuration(searchTime) })}
          {resolvedSearchType === undefined || resolvedSearchType === "" ? "" : say("ask.by", { resolvedSearchType })}
          {cost === 0 ? "" : `, ${formatDollars(cost)}`}
        </span>
        <button
          type="button"
          className="button quiet small"
          aria-expanded={showsStages}
          onClick={() => setShowsStages(!showsStages)}
        >
          {say("ask.timeByStage")}
        </button>
      </div>
      {showsStages ? <Stages search={search} /> : null}
    </div>
  );
}

function Stages({ search }: { readonly search: AskSearch }): ReactNode {
  const explained = useQuery(explainQuery(search));
  if (explained.isError) return <Trouble error={explained.error} retry={() => void explained.refetch()} />;
  if (explained.data === undefined) return <SkeletonLines lines={2} label={say("ask.measuring")} />;
  const { timings } = explained.data;
  const total = timings.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <div className="card stack" role="group" aria-label={say("ask.timeByStage")}>
      <div className="stages" aria-hidden="true">
        {timings.map(({ stage, ms }, index) => (
          <span
            key={stage}
            className={COLORS[index % COLORS.length]}
            style={{ flexGrow: total === 0 ? 1 : Math.max(ms, total / 200) }}
          />
        ))}
      </div>
      <ul className="legend">
        {timings.map(({ stage, ms }, index) => (
          <li key={stage} className="number">
            <i className={COLORS[index % COLORS.length]} />
            {stage} {formatDuration(ms)}
          </li>
        ))}
      </ul>
    </div>
  );
}
