import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { isRecord } from "../../api/send.ts";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { VirtualList, type VirtualColumn } from "../../ui/virtual-list.tsx";
import type { AuditRecord } from "./approval-shapes.ts";
import { checkChain } from "./check-chain.ts";
import { auditQuery } from "./use-approvals.ts";
import { say } from "../../words/say.ts";

const PROBLEMS = { missing: say("approvals.missing"), changed: say("approvals.changed") } as const;

/** What tools did, newest first, and whether anybody has touched the log: the browser computes its chain itself. */
export function AuditLog(): ReactNode {
  const audit = useQuery(auditQuery);
  const check = useMutation({
    mutationFn: async () => {
      const { data } = await audit.refetch();
      return { found: await checkChain(data?.records ?? []), count: data?.records.length ?? 0 };
    },
  });
  const rows = useMemo(() => audit.data?.records.toReversed() ?? [], [audit.data]);
  if (audit.isError) return <Trouble error={audit.error} retry={() => void audit.refetch()} />;
  if (audit.data === undefined) return <SkeletonLines lines={5} />;
  return (
    <section className="card flush" aria-label={say("approvals.auditLog")}>
      <div className="card-head">
        <h2>{say("approvals.entries", { count: formatNumber(rows.length) })}</h2>
        <span className="row">
          <a className="button" href="/quarry/v1/audit/export" download="quarry-audit.ndjson">
            {say("approvals.download")}
          </a>
          <button type="button" className="button" disabled={check.isPending} onClick={() => check.mutate()}>
            {say("approvals.checkTheChain")}
          </button>
        </span>
      </div>
      {check.data === undefined ? null : (
        <div className={check.data.found === undefined ? "notice good" : "notice bad"} role="status">
          <Icon name={check.data.found === undefined ? "good" : "warn"} />
          <span>
            {check.data.found === undefined
              ? say("approvals.theChainHoldsEntriesNone", { count: formatNumber(check.data.count) })
              : say("approvals.entryIsWhatFollowsIt", {
                  sequence: check.data.found.sequence,
                  problem: PROBLEMS[check.data.found.problem],
                })}
          </span>
        </div>
      )}
      {audit.data.isWhole ? null : <p className="small soft">{say("approvals.theLogIsLongerThan")}</p>}
      {rows.length === 0 ? (
        <p className="card soft">{say("approvals.noToolHasBeenCalled")}</p>
      ) : (
        <VirtualList label={say("approvals.entriesLabel")} rows={rows} columns={COLUMNS} />
      )}
    </section>
  );
}

const COLUMNS: readonly VirtualColumn<AuditRecord>[] = [
  { heading: say("approvals.number"), width: "70px", isNumber: true, cell: ({ sequence }) => sequence },
  { heading: say("approvals.what"), width: "minmax(160px, 1fr)", cell: ({ entry }) => wordsOf(entry) },
  {
    heading: say("approvals.entry"),
    width: "minmax(200px, 2fr)",
    cell: ({ entry }) => <span title={entry}>{entry}</span>,
  },
  {
    heading: say("approvals.hash"),
    width: "130px",
    cell: ({ hash }) => <span className="mono">{hash.slice(0, 12)}</span>,
  },
];

function wordsOf(entry: string): string {
  const value: unknown = JSON.parse(entry);
  if (!isRecord(value)) return "";
  return [value["tool"], value["decision"], value["result"], value["who"]]
    .filter((part) => typeof part === "string")
    .join(" · ");
}
