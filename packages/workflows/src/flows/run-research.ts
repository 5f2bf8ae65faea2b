import { AppError } from "@quarry/base";
import type { Flow, Plain } from "../flow.ts";
import type { ResearchState } from "../ports.ts";

/** How often a research at work is looked at. */
const LOOK_MS = 1_000;

/** A research to wait for. */
export interface ResearchWish {
  readonly label: string;
  readonly instructions: string;
  readonly model: string;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly timeoutSeconds: number;
  readonly before: number;
  readonly total: number;
}

/** Runs a research to its end; undefined when the time is over, in which case it is cancelled. Throws when it failed. */
export async function runResearch(flow: Flow, wish: ResearchWish): Promise<ResearchState | undefined> {
  const { label, timeoutSeconds, before, total, ...research } = wish;
  const id = `research_${flow.taskId.replace(/^task_/, "")}_${label.replace(/[^a-z0-9]+/gi, "-")}`;
  await flow.tell({ step: `${label}: research`, completed: before, total });
  await flow.step(
    `${label}: begin`,
    async () => {
      await flow.research.begin(flow.teamId, { ...research, id });
      return id;
    },
    { made: () => [{ kind: "research", id }] },
  );
  const done = await flow.waitFor(`${label}: wait`, { everyMs: LOOK_MS, limitMs: timeoutSeconds * 1_000 }, async () => {
    const state = await flow.research.get(flow.teamId, id);
    if (state.status === "failed" || state.status === "canceled") {
      throw new AppError(
        "upstream_failed",
        `the research ${id} ${state.status}: ${state.error ?? "no reason was kept"}`,
      );
    }
    return state.status === "completed" ? (state as unknown as Plain) : undefined;
  });
  if (done !== undefined) return done as unknown as ResearchState;
  await flow.step(`${label}: give up`, async () => {
    await flow.research.cancel(flow.teamId, id);
    return true;
  });
  return undefined;
}
