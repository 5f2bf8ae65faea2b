import { it, type TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Ids of the requirements this test proves. */
    verifies?: readonly string[];
  }
}

/**
 * A test that proves requirements: `verifies("area:thing:behaviour", "does so", () => …)`.
 * A requirement counts as met when every test that cites it passes; a skipped one does not.
 * Write the ids as literals: `requirements.test.ts` finds citations by reading the source.
 */
export function verifies(
  ids: string | readonly string[],
  name: string,
  run: (context: TestContext) => Promise<void> | void,
  timeoutMs?: number,
): void {
  const meta = { verifies: typeof ids === "string" ? [ids] : ids };
  it(name, timeoutMs === undefined ? { meta } : { meta, timeout: timeoutMs }, run);
}
