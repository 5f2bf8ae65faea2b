import { checkEvidence } from "../evidence.ts";
import type { CellQuestion, CellValue } from "./cell.ts";
import { askModelForCell } from "./ask-model.ts";
import { columnTopic } from "./find-candidates.ts";
import { fillDate } from "./fill-date.ts";
import { fillEmail, fillPhone } from "./fill-contacts.ts";
import { fillNumber, fillUrl } from "./fill-values.ts";
import type { Filled, Filling } from "./filling.ts";
import { fillOptions } from "./fill-options.ts";
import { fillText } from "./fill-words.ts";

/**
 * Fills one cell from the pages of its entity: by the model when there is one and its quote stands in a page, else by
 * rules. Rejects only on abort.
 */
export async function fillCell(question: CellQuestion): Promise<CellValue> {
  question.signal.throwIfAborted();
  const asked = question.llm === undefined ? undefined : await askModelForCell({ ...question, llm: question.llm });
  if (asked?.value !== undefined) return asked.value;
  const byRules = fillByRules(question);
  return asked?.usage === undefined ? byRules : { ...byRules, usage: asked.usage };
}

/** Fills one cell without a model. */
export function fillByRules({ entity, enrichment, pages }: Omit<CellQuestion, "signal" | "llm">): CellValue {
  const filled = fill({ entity, enrichment, pages, topic: columnTopic(entity, enrichment.description) });
  const references = filled?.references.filter((one) => pages.some((page) => checkEvidence(page, one))) ?? [];
  const quote = references[0];
  if (filled === undefined || quote === undefined) {
    return {
      result: null,
      reasoning: `No page gives a ${enrichment.format} for “${enrichment.description}”.`,
      references: [],
    };
  }
  const from = filled.isBeside === true ? "on the page that says" : "from";
  return { result: filled.result, reasoning: `By rule (${filled.rule}), ${from} “${quote.snippet}”.`, references };
}

function fill(filling: Filling): Filled | undefined {
  switch (filling.enrichment.format) {
    case "text":
      return fillText(filling);
    case "date":
      return fillDate(filling);
    case "number":
      return fillNumber(filling);
    case "options":
      return fillOptions(filling);
    case "email":
      return fillEmail(filling);
    case "phone":
      return fillPhone(filling);
    case "url":
      return fillUrl(filling);
  }
}
