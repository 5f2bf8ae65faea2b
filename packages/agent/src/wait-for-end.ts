import { AppError, linkAbort } from "@quarry/base";
import type { Approval } from "@quarry/store";
import type { LiveCall } from "./live-call.ts";
import type { EndedCall } from "./spine.ts";

/** How long a unary call waits for a person unless it says otherwise. */
const DEFAULT_WAIT_MS = 120_000;

/** The end of a call, or the question it still waits for. */
export type UnaryEnd =
  { readonly kind: "ended"; readonly ended: EndedCall } | { readonly kind: "waiting"; readonly approval: Approval };

/** Waits for a call's end as a unary caller does: for a person at most `timeoutMs`; the call itself goes on. Rejects when `signal` aborts. */
export async function waitForEnd(
  live: LiveCall,
  options: { readonly timeoutMs: number | undefined; readonly signal: AbortSignal },
): Promise<UnaryEnd> {
  const patience = { milliseconds: options.timeoutMs ?? DEFAULT_WAIT_MS, late: () => new Error("waited long enough") };
  const waiting = linkAbort(options.signal, patience);
  const ended = await Promise.race([live.ended.then((value) => ({ value })), untilAborted(waiting.signal)]).finally(
    waiting.end,
  );
  if (ended !== "aborted") return { kind: "ended", ended: ended.value };
  if (options.signal.aborted) throw new AppError("canceled", "the caller left", { cause: options.signal.reason });
  // It may not have come to its question yet. Once it runs, its own limit of time ends it.
  for await (const event of live.follow(options.signal)) {
    if (event.kind === "approval-needed" && live.openApproval !== undefined) {
      return { kind: "waiting", approval: live.openApproval };
    }
  }
  return { kind: "ended", ended: await live.ended };
}

function untilAborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
