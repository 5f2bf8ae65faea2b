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
    <section className="card flush" aria-label="Audit log">
      <div className="card-head">
        <h2>{formatNumber(rows.length)} entries</h2>
        <span className="row">
          <a className="button" href="/quarry/v1/audit/export" download="quarry-audit.ndjson">
            Download
          </a>
          <button type="button" className="button" disabled={check.isPending} onClick={() => check.mutate()}>
            Check the chain
          </button>
        </span>
      </div>
      {check.data === undefined ? null : (
        <div className={check.data.found === undefined ? "notice good" : "notice bad"} role="status">
          <Icon name={check.data.found === undefined ? "good" : "warn"} />
          <span>
            {check.data.found === undefined
              ? `The chain holds: ${formatNumber(check.data.count)} entries, none changed, none missing.`
              : `Entry ${check.data.found.sequence} is ${check.data.found.problem}: what follows it proves nothing. Keep a copy of the database and find out who wrote to it.`}
          </span>
        </div>
      )}
      {audit.data.isWhole ? null : (
        <p className="small soft">The log is longer than this screen reads; download it to check it whole.</p>
      )}
      {rows.length === 0 ? (
        <p className="card soft">No tool has been called yet.</p>
      ) : (
        <VirtualList label="Entries" rows={rows} columns={COLUMNS} />
      )}
    </section>
  );
}

const COLUMNS: readonly VirtualColumn<AuditRecord>[] = [
  { heading: "Number", width: "70px", isNumber: true, cell: ({ sequence }) => sequence },
  { heading: "What", width: "minmax(160px, 1fr)", cell: ({ entry }) => wordsOf(entry) },
  { heading: "Entry", width: "minmax(200px, 2fr)", cell: ({ entry }) => <span title={entry}>{entry}</span> },
  { heading: "Hash", width: "130px", cell: ({ hash }) => <span className="mono">{hash.slice(0, 12)}</span> },
];

function wordsOf(entry: string): string {
  const value: unknown = JSON.parse(entry);
  if (!isRecord(value)) return "";
  return [value["tool"], value["decision"], value["result"], value["who"]]
    .filter((part) => typeof part === "string")
    .join(" · ");
}
