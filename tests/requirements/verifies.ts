import { it, type TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Ids of the requirements this test proves. */
    verifies?: readonly string[];
  }
}

/**
 * A test that proves requirements: `verifies("area:thing:behaviour", "does so", () => …)`.
 * A requirement counts as met when every test that cites it passes.
 */
export function verifies(
  ids: string | readonly string[],
  name: string,
  run: (context: TestContext) => Promise<void> | void,
  timeoutMs?: number,
): void {
  it(
    name,
    async (context) => {
      context.task.meta.verifies = typeof ids === "string" ? [ids] : ids;
      await run(context);
    },
    timeoutMs,
  );
}
