import type { Flow, FlowResult, Plain } from "../flow.ts";
import { joinLenses, type LensItems } from "../pure/join-lenses.ts";
import { matchesShape } from "../pure/match-shape.ts";
import { compareRuns, evaluateSignal, type Delta, type RunMemory } from "../pure/signal-and-delta.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";

/** What a run leaves for the next of its name. */
interface CronMemory extends RunMemory {
  /** The websets that monitors keep up to date, by lens. */
  readonly websets?: Readonly<Record<string, string>>;
}

/** semantic.cron: several lenses, each a webset; what of them has the shapes, what of that joins, whether it is a signal, and what changed. */
export async function semanticCron(flow: Flow, args: WorkflowArgs<"semantic.cron">): Promise<FlowResult> {
  const { lenses, shapes, join: wish, signal: wanted, monitor, webhookUrl, timeoutSeconds } = args;
  const name = args.name ?? lenses.map((lens) => lens.name).join("+");
  const memoryName = `semantic.cron ${name}`;
  const recalled = await flow.step("recall", async () => (await flow.recall(memoryName)) ?? null);
  const before = (recalled ?? undefined) as unknown as CronMemory | undefined;
  const seen: LensItems[] = [];
  const websets: Record<string, string> = {};
  const monitors: Record<string, string> = {};
  for (const [index, lens] of lenses.entries()) {
    const { name: lensName, ...search } = lens;
    const collected = await collectWebset(flow, {
      ...search,
      timeoutSeconds,
      label: `lens ${lensName}`,
      existingWebsetId: monitor === undefined ? undefined : before?.websets?.[lensName],
      before: index,
      total: lenses.length + 1,
    });
    const { websetId } = collected;
    if (monitor !== undefined) {
      const wanted = { ...monitor, key: `${websetId}-monitor`, count: search.count };
      monitors[lensName] = await flow.step(`lens ${lensName}: monitor`, (signal) =>
        flow.websets.keepFresh(flow.teamId, websetId, wanted, signal),
      );
    }
    const wantedShapes = shapes.filter((shape) => shape.lens === lensName);
    const items = showItems(collected).filter((item) =>
      wantedShapes.every((shape) => matchesShape(item, shape, flow.begunAt)),
    );
    seen.push({ lens: lensName, items });
    websets[lensName] = websetId;
  }
  const webhookId =
    webhookUrl === undefined
      ? undefined
      : await flow.step("webhook", (signal) => flow.webhooks.tell(flow.teamId, { name, url: webhookUrl }, signal));
  const joins = joinLenses(seen, { ...wish, minLenses: wish.minLenses ?? Math.min(2, lenses.length) });
  const signal = evaluateSignal(
    joins,
    lenses.map((lens) => lens.name),
    wanted,
  );
  const memory: CronMemory = {
    joins: joins.map(({ key }) => key),
    fired: signal.fired,
    ...(monitor !== undefined && { websets }),
  };
  const delta = compareRuns(before, memory);
  await flow.step("remember", async () => {
    await flow.remember(memoryName, memory as unknown as Plain);
    return true;
  });
  if (isNews(delta, signal.fired)) {
    flow.announce({ name, data: { signal: signal as unknown as Plain, delta: delta as unknown as Plain } });
  }
  const matched = seen.flatMap(({ items }) => items);
  return {
    items: matched as unknown as Plain,
    websetId: Object.values(websets)[0] ?? "",
    websets,
    ...(monitor !== undefined && { monitors }),
    ...(webhookId !== undefined && { webhookId }),
    joins: joins as unknown as Plain,
    signal: signal as unknown as Plain,
    delta: delta as unknown as Plain,
    _summary: `${signal.fired ? "signal" : "no signal"}: ${signal.reason}; ${delta.newJoins.length} new, ${delta.lostJoins.length} gone since the last run`,
  };
}

/** Whether anyone should hear of a run: a signal that came or went, or other joins than before. */
function isNews(delta: Delta, isFired: boolean): boolean {
  if (delta.transition === "first") return isFired;
  return delta.newJoins.length + delta.lostJoins.length > 0 || ["fired", "cleared"].includes(delta.transition);
}
