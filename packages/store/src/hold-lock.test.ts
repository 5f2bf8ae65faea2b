import { describe, expect, it } from "vitest";
import { holdLock } from "./hold-lock.ts";
import { withDatabase } from "./testing.ts";

const never = new AbortController().signal;

describe("a lock", () => {
  it("has one holder; the next gets it when that one lets go", () =>
    withDatabase(async (_db, url) => {
      const first = await holdLock(url, 1, never);
      let hasSecond = false;
      const second = holdLock(url, 1, never).then((lock) => {
        hasSecond = true;
        return lock;
      });
      const other = await holdLock(url, 2, never);
      expect(hasSecond).toBe(false);
      await first.release();
      await (await second).release();
      await other.release();
    }));

  it("is lost with its connection, and known to be", () =>
    withDatabase(async (db, url) => {
      const first = await holdLock(url, 1, never);
      expect(first.lost.aborted).toBe(false);
      const lost = new Promise((resolve) => first.lost.addEventListener("abort", resolve));
      await db.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quarry lock' AND datname = current_database()",
      );
      await lost;
      await (await holdLock(url, 1, never)).release();
    }));

  it("is no longer waited for after an abort", () =>
    withDatabase(async (_db, url) => {
      const first = await holdLock(url, 1, never);
      const stop = new AbortController();
      const second = holdLock(url, 1, stop.signal);
      stop.abort(new Error("enough"));
      await expect(second).rejects.toThrow("enough");
      await first.release();
    }));
});
