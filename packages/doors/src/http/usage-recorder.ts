import { sleep } from "@quarry/base";
import type { UsageRecord } from "@quarry/store";
import type { FastifyBaseLogger } from "fastify";

/** What the recorder needs. */
export interface UsageRecorderDeps {
  readonly write: (records: readonly UsageRecord[]) => Promise<void>;
  readonly log: Pick<FastifyBaseLogger, "warn" | "error">;
  /** Told how many records were given up because the store stayed away too long. */
  readonly onLost: (count: number) => void;
}

const FLUSH_EVERY_MS = 500;
const BATCH_RECORDS = 5_000;
const MAX_WAITING_RECORDS = 200_000;
const CLOSE_ATTEMPTS = 5;
const CLOSE_RETRY_MS = 200;

/**
 * Takes usage records and writes them in batches, half a second late at most while
 * the store answers. A failed batch is kept and tried again; past MAX_WAITING_RECORDS
 * the oldest go, counted and logged. `close` writes what is left.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  #waiting: UsageRecord[] = [];
  #unwrittenCost = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
  }

  /** Takes one record; never waits, never throws. */
  add(record: UsageRecord): void {
    this.#waiting.push(record);
    this.#countCost(record, 1);
    const excess = this.#waiting.length - MAX_WAITING_RECORDS;
    if (excess > 0) {
      const lost = this.#waiting.splice(0, excess);
      for (const old of lost) this.#countCost(old, -1);
      this.#deps.onLost(excess);
      this.#deps.log.error({ lost: excess }, "usage records lost: the store has not taken them for too long");
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flushOrKeep();
    }, FLUSH_EVERY_MS);
  }

  /** What a key has spent that the store does not know of yet. */
  unwrittenCostOf(keyId: string): number {
    return this.#unwrittenCost.get(keyId) ?? 0;
  }

  /** Writes everything taken so far; rejects when the store refuses, and keeps the records. */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing.catch(() => undefined); // its own caller is told
    if (this.#waiting.length === 0) return;
    this.#flushing = this.#writeAll();
    try {
      await this.#flushing;
    } finally {
      this.#flushing = undefined;
    }
  }

  /** Writes what is left and stops. Rejects with the last failure when the store does not take it. */
  async close(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      try {
        await this.flush();
        return;
      } catch (error) {
        if (attempt === CLOSE_ATTEMPTS) throw error;
      }
      await sleep(CLOSE_RETRY_MS * attempt);
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_RECORDS);
      try {
        await this.#deps.write(batch);
      } catch (error) {
        this.#waiting.unshift(...batch);
        throw error;
      }
      for (const record of batch) this.#countCost(record, -1);
    }
  }

  async #flushOrKeep(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#deps.log.warn(
        { err: error, waiting: this.#waiting.length },
        "usage not written yet; kept for the next try",
      );
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.#flushOrKeep();
      }, FLUSH_EVERY_MS);
    }
  }

  #countCost(record: UsageRecord, sign: 1 | -1): void {
    if (record.keyId === null || record.costDollars === 0) return;
    const cost = (this.#unwrittenCost.get(record.keyId) ?? 0) + sign * record.costDollars;
    if (cost > 1e-12) this.#unwrittenCost.set(record.keyId, cost);
    else this.#unwrittenCost.delete(record.keyId);
  }
}
