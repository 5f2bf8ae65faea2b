import type { Approval } from "@quarry/store";
import type { CallEvent, EndedCall } from "./spine.ts";

/** How many output events a late listener can still get; older ones are dropped. */
const KEPT_OUTPUTS = 1_000;

/**
 * A call on its way in this process: events for any number of listeners, also
 * those that come late, and its end. It goes on when all of them leave.
 */
export class LiveCall {
  readonly ended: Promise<EndedCall>;
  /** Resolves once there is a row, or there will be none. */
  readonly kept: Promise<void>;
  readonly #stop = new AbortController();
  readonly #events: CallEvent[] = [];
  #dropped = 0;
  #bells = new Set<() => void>();
  #isOver = false;
  #approval: Approval | undefined;
  #callId: string | undefined;

  #resolveKept: () => void = () => undefined;

  constructor(run: (signal: AbortSignal) => AsyncGenerator<CallEvent, EndedCall>) {
    this.kept = new Promise((resolve) => (this.#resolveKept = resolve));
    this.ended = this.#consume(run(this.#stop.signal));
    this.ended.catch(() => undefined); // whoever waits for the end hears of it; nobody need
  }

  /** The row's id, once the call was kept. */
  get callId(): string | undefined {
    return this.#callId;
  }

  /** The question it waits for, if it does. */
  get openApproval(): Approval | undefined {
    return this.#isOver ? undefined : this.#approval;
  }

  /** Stops what runs; the row says how it ended. */
  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Every event so far and to come; returns when the call is over, rejects when `signal` aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<CallEvent> {
    for (let next = this.#dropped; ;) {
      signal.throwIfAborted();
      next = Math.max(next, this.#dropped);
      const event = this.#events[next - this.#dropped];
      if (event !== undefined) {
        next += 1;
        yield event;
      } else if (this.#isOver) return;
      else await this.#nextEvent(signal);
    }
  }

  async #consume(events: AsyncGenerator<CallEvent, EndedCall>): Promise<EndedCall> {
    try {
      for (;;) {
        const step = await events.next();
        if (step.done === true) return step.value;
        this.#tell(step.value);
      }
    } finally {
      this.#isOver = true;
      this.#resolveKept();
      this.#ring();
    }
  }

  #tell(event: CallEvent): void {
    if (event.kind === "accepted") {
      this.#callId = event.call.id;
      this.#resolveKept();
    }
    this.#approval = event.kind === "approval-needed" ? event.approval : undefined;
    this.#events.push(event);
    if (this.#events.length > KEPT_OUTPUTS) {
      this.#events.shift();
      this.#dropped += 1;
    }
    this.#ring();
  }

  #ring(): void {
    const bells = this.#bells;
    this.#bells = new Set();
    for (const bell of bells) bell();
  }

  #nextEvent(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const heard = (): void => {
        signal.removeEventListener("abort", heard);
        this.#bells.delete(heard);
        resolve();
      };
      this.#bells.add(heard);
      signal.addEventListener("abort", heard);
    });
  }
}
