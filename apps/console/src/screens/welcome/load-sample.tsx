import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { send } from "../../api/send.ts";
import { formatNumber } from "../../ui/format.ts";
import { Trouble } from "../../ui/states.tsx";
import { countSearchable, indexStatsQuery } from "../index/index-stats.ts";
import { say } from "../../words/say.ts";

const REFRESH_MS = 1_000;

/** The pages that come with Quarry, put into the index on a word. */
export function LoadSample(): ReactNode {
  const load = useMutation({
    mutationFn: () => send<{ status: "loading" | "loaded" }>("/quarry/v1/sample", { method: "POST" }),
  });
  const { data: stats } = useQuery({ ...indexStatsQuery, ...(load.isSuccess ? { refetchInterval: REFRESH_MS } : {}) });
  if (load.data === undefined) {
    return (
      <div className="stack">
        <p className="soft">{say("welcome.someHundredPagesThatMay")}</p>
        <div>
          <button type="button" className="button" disabled={load.isPending} onClick={() => load.mutate()}>
            {say("welcome.loadIt")}
          </button>
        </div>
        {load.isError ? <Trouble error={load.error} /> : null}
      </div>
    );
  }
  return (
    <p role="status">
      {load.data.status === "loaded" ? say("welcome.theSampleIsThereAlready") : say("welcome.theSampleIsOnIts")}{" "}
      {stats === undefined ? "" : say("welcome.pagesCanBeFound", { number: formatNumber(countSearchable(stats)) })}
    </p>
  );
}
