import { archiveValue, type PastValue, type Transaction, type WebsetEvaluation, type WebsetItem } from "@quarry/store";

/** The name under which the history keeps what was said of an item by a criterion. */
export function subjectOf(criterion: string): string {
  return `criterion:${criterion}`;
}

/** A verdict as the history shows it: a person's with who gave it and when, Quarry's with when it was last judged. */
export function valueOfVerdict(item: Pick<WebsetItem, "createdAt">, evaluation: WebsetEvaluation): PastValue {
  const { satisfied, reasoning, references, human, attempts } = evaluation;
  const judgedAt = attempts?.at(-1)?.at ?? item.createdAt.toISOString();
  const origin = human ?? { by: "quarry", note: null, at: judgedAt };
  return { value: satisfied, reasoning, references, ...origin };
}

/** New verdicts on an item with, for each criterion that a person decided, the person's word in place of Quarry's. */
export function keepHuman(
  item: Pick<WebsetItem, "evaluations"> | undefined,
  evaluations: readonly WebsetEvaluation[],
): readonly WebsetEvaluation[] {
  const given = humanVerdicts(item);
  return evaluations.map((evaluation) => {
    const human = given.find(({ criterion }) => criterion === evaluation.criterion);
    const { attempts } = evaluation;
    return human === undefined ? evaluation : { ...human, ...(attempts !== undefined && { attempts }) };
  });
}

/** What persons said of an item by criteria that these verdicts are not about. */
export function otherHuman(
  item: Pick<WebsetItem, "evaluations"> | undefined,
  evaluations: readonly WebsetEvaluation[],
): readonly WebsetEvaluation[] {
  return humanVerdicts(item).filter(({ criterion }) => !evaluations.some((one) => one.criterion === criterion));
}

/** Keeps in the history what an item's new verdicts replace: what said otherwise, or answered what is no longer asked. */
export async function archiveReplaced(
  tx: Transaction,
  item: WebsetItem,
  evaluations: readonly WebsetEvaluation[],
): Promise<void> {
  for (const before of item.evaluations) {
    const after = evaluations.find(({ criterion }) => criterion === before.criterion);
    if (after?.satisfied === before.satisfied && after.human?.at === before.human?.at) continue;
    await archiveValue(tx, { itemId: item.id, subject: subjectOf(before.criterion) }, valueOfVerdict(item, before));
  }
}

function humanVerdicts(item: Pick<WebsetItem, "evaluations"> | undefined): readonly WebsetEvaluation[] {
  return item?.evaluations.filter(({ human }) => human !== undefined) ?? [];
}
