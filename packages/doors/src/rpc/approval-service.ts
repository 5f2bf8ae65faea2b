import type { ServiceImpl } from "@connectrpc/connect";
import { toApprovalMessage } from "@quarry/agent";
import { AppError } from "@quarry/base";
import { ApprovalStatus, type ApprovalService, type ApprovalMessage } from "@quarry/contract";
import { getApproval, listApprovals, type ApprovalState } from "@quarry/store";
import { MessageQueue } from "./message-queue.ts";
import { readAnswer } from "./read-answer.ts";
import { callerOf, streamSignal, type RpcDeps } from "./rpc-deps.ts";
import { answered, streamed } from "./to-connect-error.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** quarry.v1.ApprovalService: the inbox. */
export function approvalService(deps: RpcDeps): ServiceImpl<typeof ApprovalService> {
  const { tools } = deps;
  const { db, registry } = tools.deps;
  return {
    list: (request, context) =>
      answered(async () => {
        if (request.limit > MAX_LIMIT) throw new AppError("invalid_request", `limit: at most ${MAX_LIMIT}`);
        const state = STATES[request.status];
        const page = await listApprovals(db, {
          teamId: callerOf(context).teamId,
          states: state === undefined ? undefined : [state],
          sessionId: request.sessionId,
          cursor: request.cursor === "" ? undefined : request.cursor,
          limit: request.limit === 0 ? DEFAULT_LIMIT : request.limit,
        });
        return {
          approvals: page.data.map((approval) => toApprovalMessage(registry, approval)),
          hasMore: page.hasMore,
          nextCursor: page.nextCursor ?? "",
        };
      }),
    watch: (request, context) =>
      streamed(
        watch(deps, { teamId: callerOf(context).teamId, sessionId: request.sessionId }, streamSignal(deps, context)),
      ),
    answer: (request, context) =>
      answered(async () => {
        const outcome = await tools.answer(await readAnswer(tools, callerOf(context), request));
        if (outcome.kind === "too-late") {
          const { id, state, answeredBy } = outcome.approval;
          throw new AppError(
            "conflict",
            `approval ${id} was ${state} already${answeredBy === null ? "" : ` by ${answeredBy}`}`,
          );
        }
        return { approval: toApprovalMessage(registry, outcome.approval) };
      }),
  };
}

async function* watch(
  deps: RpcDeps,
  of: { readonly teamId: string; readonly sessionId: string | undefined },
  signal: AbortSignal,
): AsyncGenerator<{ readonly approval: ApprovalMessage }> {
  const { db, registry } = deps.tools.deps;
  const changed = new MessageQueue<string>();
  const stop = deps.tools.changes.onChange((change) => {
    if (change === undefined || change.approvalId === null || change.teamId !== of.teamId) return;
    if (of.sessionId === undefined || of.sessionId === change.sessionId) changed.put(change.approvalId);
  });
  const leave = (): void => changed.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const pending = await listApprovals(db, { ...of, states: ["pending"], limit: MAX_LIMIT });
    for (const approval of pending.data.toReversed()) yield { approval: toApprovalMessage(registry, approval) };
    for await (const id of changed.read()) {
      const approval = await getApproval(db, of.teamId, id);
      if (!approval.isInternal) yield { approval: toApprovalMessage(registry, approval) };
    }
  } finally {
    stop();
    signal.removeEventListener("abort", leave);
  }
}

const STATES: Readonly<Record<ApprovalStatus, ApprovalState | undefined>> = {
  [ApprovalStatus.UNSPECIFIED]: undefined,
  [ApprovalStatus.PENDING]: "pending",
  [ApprovalStatus.GRANTED]: "granted",
  [ApprovalStatus.USED]: "used",
  [ApprovalStatus.REJECTED]: "rejected",
  [ApprovalStatus.EXPIRED]: "expired",
  [ApprovalStatus.WITHDRAWN]: "withdrawn",
};
