import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { send } from "../../api/send.ts";
import type { Page } from "../../api/shapes.ts";
import type { Approval, AuditRecord, Decision, ToolSession } from "./approval-shapes.ts";

const LOOK_AGAIN_MS = 1_500;
const AUDIT_AT_ONCE = 1_000;
/** A longer log is checked with the command line, from its export. */
const MOST_AUDIT = 50_000;

/** The questions that wait for an answer; looked for again all the time. */
export const pendingQuery = queryOptions({
  queryKey: ["approvals", "pending"],
  queryFn: ({ signal }) => send<Page<Approval>>("/quarry/v1/approvals?status=pending&limit=100", { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

/** The newest questions, answered or not. */
export const recentQuery = queryOptions({
  queryKey: ["approvals", "recent"],
  queryFn: ({ signal }) => send<Page<Approval>>("/quarry/v1/approvals?limit=100", { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

/** The newest sessions of tool calls. */
export const sessionsQuery = queryOptions({
  queryKey: ["tool-sessions"],
  queryFn: ({ signal }) => send<Page<ToolSession>>("/quarry/v1/sessions?limit=100", { signal }),
  refetchInterval: LOOK_AGAIN_MS,
});

/** The audit log from its first entry. */
export const auditQuery = queryOptions({
  queryKey: ["audit"],
  queryFn: async ({ signal }) => {
    const records: AuditRecord[] = [];
    for (let cursor: string | null = null; records.length < MOST_AUDIT;) {
      const query = new URLSearchParams({ limit: String(AUDIT_AT_ONCE), ...(cursor === null ? {} : { cursor }) });
      const page: Page<AuditRecord> = await send(`/quarry/v1/audit?${query.toString()}`, { signal });
      records.push(...page.data);
      if (page.nextCursor === null) return { records, isWhole: true };
      cursor = page.nextCursor;
    }
    return { records, isWhole: false };
  },
});

/** An answer to some questions. */
export interface Answering {
  readonly approvals: readonly Approval[];
  readonly decision: Decision;
  readonly reason?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Answers questions, one after the other; the first that is refused, as when another answer was quicker, ends it. */
export function useAnswerApprovals() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ approvals, decision, reason, args }: Answering) => {
      for (const { id } of approvals) {
        await send<Approval>(`/quarry/v1/approvals/${encodeURIComponent(id)}/answer`, {
          method: "POST",
          body: {
            decision,
            ...(reason === undefined || reason === "" ? {} : { reason }),
            ...(args === undefined ? {} : { args }),
          },
        });
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["approvals"] }),
  });
}
