import { isRecord } from "../../api/send.ts";
import type { EnrichmentResult, Evaluation, Webset, WebsetItem } from "./webset-shapes.ts";

/** A column of the grid: a criterion that items are judged by, or a question that they are asked. */
export type WebsetColumn =
  | { readonly kind: "criterion"; readonly key: string; readonly heading: string; readonly successRate: number }
  | { readonly kind: "enrichment"; readonly key: string; readonly heading: string; readonly format: string };

/** What stands in a cell. */
export type Cell =
  | { readonly kind: "pending" }
  | { readonly kind: "empty" }
  | { readonly kind: "verdict"; readonly evaluation: Evaluation }
  | { readonly kind: "value"; readonly result: EnrichmentResult; readonly text: string };

/** The columns of a webset: each criterion once, then the enrichments. */
export function listColumns({ searches, enrichments }: Webset): readonly WebsetColumn[] {
  const criteria = new Map<string, WebsetColumn>();
  for (const { criteria: some } of searches) {
    for (const { description, successRate } of some) {
      criteria.set(description, { kind: "criterion", key: description, heading: description, successRate });
    }
  }
  return [
    ...criteria.values(),
    ...enrichments.map(({ id, title, description, format }): WebsetColumn => ({
      kind: "enrichment",
      key: id,
      heading: title ?? description,
      format,
    })),
  ];
}

/** What stands where an item and a column meet. */
export function cellOf(item: WebsetItem, column: WebsetColumn): Cell {
  if (column.kind === "criterion") {
    const evaluation = item.evaluations.find(({ criterion }) => criterion === column.key);
    return evaluation === undefined ? { kind: "empty" } : { kind: "verdict", evaluation };
  }
  const result = item.enrichments.find(({ enrichmentId }) => enrichmentId === column.key);
  if (result === undefined || result.status === "pending") return { kind: "pending" };
  const text = (result.result ?? []).join(", ");
  return text === "" ? { kind: "empty" } : { kind: "value", result, text };
}

/** What an item is called. */
export function nameOf({ properties }: Pick<WebsetItem, "properties">): string {
  const own = properties[properties.type === "research_paper" ? "researchPaper" : properties.type];
  const name = isRecord(own) ? (own["name"] ?? own["title"]) : undefined;
  return typeof name === "string" && name !== "" ? name : properties.url;
}

/** Whether an item has some words in its name, its address or a cell. */
export function hasWords(item: WebsetItem, columns: readonly WebsetColumn[], words: string): boolean {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return true;
  const texts = [nameOf(item), item.properties.url, ...columns.map((column) => textOf(cellOf(item, column)))];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

function textOf(cell: Cell): string {
  return cell.kind === "value" ? cell.text : cell.kind === "verdict" ? cell.evaluation.satisfied : "";
}
