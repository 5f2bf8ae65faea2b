import type { Flow, FlowResult, Plain } from "../flow.ts";
import { judgeDescriptors, measureWinnow, rateItems, selectElites } from "../pure/winnow.ts";
import { listCriteria } from "../project-item.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";
import { runResearch } from "./run-research.ts";

/** qd.winnow: niches by criteria, the fittest of each, and what the criteria are worth. */
export async function winnow(flow: Flow, args: WorkflowArgs<"qd.winnow">): Promise<FlowResult> {
  const { selection, critique, ...wish } = args;
  const total = critique ? 4 : 3;
  const collected = await collectWebset(flow, { ...wish, label: "population", before: 0, total });
  const { state, items } = collected;
  const criteria = args.criteria.map(({ description }) => description);
  const judged = listCriteria(items);
  const known = criteria.every((criterion) => judged.includes(criterion)) || judged.length === 0 ? criteria : judged;
  const rated = rateItems(items, known);
  const elites = selectElites(rated, selection);
  const metrics = measureWinnow(rated, { criteriaCount: known.length, found: state.found, analyzed: state.analyzed });
  const feedback = judgeDescriptors(state.criteria);
  const weak = feedback.filter(({ verdict }) => verdict !== "good").length;
  const written = critique
    ? await runResearch(flow, {
        label: "critique",
        instructions: `Criticise this selection for "${args.query}". Criteria: ${criteria.join("; ")}. Chosen: ${showItems(
          collected,
          elites.map(({ item }) => item),
        )
          .slice(0, 10)
          .map(({ name, url }) => `${name} (${url})`)
          .join(", ")}. What is missing, and which criteria should change?`,
        model: "exa-research-fast",
        outputSchema: null,
        timeoutSeconds: CRITIQUE_SECONDS,
        before: 3,
        total,
      })
    : undefined;
  return {
    items: showItems(
      collected,
      elites.map(({ item }) => item),
    ) as unknown as Plain,
    websetId: collected.websetId,
    criteria: known,
    elites: elites.map(({ item, niche, fitness }) => ({ id: item.id, niche, fitness })),
    metrics: { ...metrics },
    descriptorFeedback: feedback as unknown as Plain,
    ...(written !== undefined && { critique: written.content }),
    timedOut: collected.timedOut,
    _summary: `${elites.length} elites of ${items.length} items; coverage ${percent(metrics.coverage)}, diversity ${percent(metrics.diversity)}; ${weak} criteria to change`,
  };
}

const CRITIQUE_SECONDS = 120;

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
