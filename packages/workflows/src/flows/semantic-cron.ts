import type { Flow, FlowResult, Plain } from "../flow.ts";
import { joinLenses, type LensItems } from "../pure/join-lenses.ts";
import { matchesShape } from "../pure/match-shape.ts";
import { compareRuns, evaluateSignal, type RunMemory } from "../pure/signal-and-delta.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";

/** semantic.cron: several lenses, each a webset; what of them has the shapes, what of that joins, whether it is a signal, and what changed. */
export async function semanticCron(flow: Flow, args: WorkflowArgs<"semantic.cron">): Promise<FlowResult> {
  const { lenses, shapes, join: wish, signal: wanted, name, timeoutSeconds } = args;
  const seen: LensItems[] = [];
  const websets: Record<string, string> = {};
  for (const [index, lens] of lenses.entries()) {
    const { name: lensName, ...search } = lens;
    const collected = await collectWebset(flow, {
      ...search,
      timeoutSeconds,
      label: `lens ${lensName}`,
      before: index,
      total: lenses.length + 1,
    });
    const wantedShapes = shapes.filter((shape) => shape.lens === lensName);
    const items = showItems(collected).filter((item) =>
      wantedShapes.every((shape) => matchesShape(item, shape, flow.begunAt)),
    );
    seen.push({ lens: lensName, items });
    websets[lensName] = collected.websetId;
  }
  const joins = joinLenses(seen, wish);
  const signal = evaluateSignal(
    joins,
    lenses.map((lens) => lens.name),
    wanted,
  );
  const memory: RunMemory = { joins: joins.map(({ key }) => key), fired: signal.fired };
  const memoryName = `semantic.cron ${name ?? lenses.map((lens) => lens.name).join("+")}`;
  const before = await flow.step("recall", async () => (await flow.recall(memoryName)) ?? null);
  const delta = compareRuns((before ?? undefined) as unknown as RunMemory | undefined, memory);
  await flow.step("remember", async () => {
    await flow.remember(memoryName, memory as unknown as Plain);
    return true;
  });
  const matched = seen.flatMap(({ items }) => items);
  return {
    items: matched as unknown as Plain,
    websetId: Object.values(websets)[0] ?? "",
    websets,
    joins: joins as unknown as Plain,
    signal: signal as unknown as Plain,
    delta: delta as unknown as Plain,
    _summary: `${signal.fired ? "signal" : "no signal"}: ${signal.reason}; ${delta.newJoins.length} new, ${delta.lostJoins.length} gone since the last run`,
  };
}
