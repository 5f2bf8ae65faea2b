import type { ItemAnswers, WebsetWire } from "@quarry/contract";
import type { Output } from "./cli-context.ts";
import { renderTable, type Column } from "./table.ts";

/** The widest a cell of the grid gets. */
const MAX_CELL_CHARACTERS = 28;
const MARKS = { yes: "✓", no: "✗", unclear: "?" } as const;

/** One line that tells how far a webset has come. */
export function describeProgress(webset: WebsetWire): string {
  const search = webset.searches.find(({ status }) => status === "running") ?? webset.searches.at(-1);
  if (search === undefined) return webset.status;
  const { found, analyzed, completion, timeLeft } = search.progress;
  const rest = timeLeft === null || timeLeft === 0 ? "" : `, ${timeLeft} s left`;
  return `${webset.status}: ${found} of ${search.count} found, ${analyzed} analysed, ${completion} %${rest}`;
}

/** A webset as a grid: a line an item, a column a criterion and an enrichment; what is not known is a dot. */
export function renderGrid(output: Output, webset: WebsetWire, items: readonly ItemAnswers[]): string {
  const most = Math.max(0, ...items.map(({ evaluations }) => evaluations.length));
  const columns: readonly Column<ItemAnswers>[] = [
    { heading: "name", text: ({ name }) => short(name) },
    { heading: "address", text: ({ url }) => short(url.replace(/^https?:\/\//, "")) },
    ...Array.from({ length: most }, (_, index) => ({
      heading: `c${index + 1}`,
      text: ({ evaluations }: ItemAnswers) => markOf(evaluations[index]?.satisfied),
    })),
    ...webset.enrichments.map(({ title, description }) => ({
      heading: short(title ?? description),
      text: ({ enrichments }: ItemAnswers) => {
        const result = enrichments.find((one) => one.description === description)?.result ?? null;
        return result === null ? "·" : short(result.join(", "));
      },
    })),
  ];
  return renderTable(output, columns, items);
}

function markOf(satisfied: keyof typeof MARKS | undefined): string {
  return satisfied === undefined ? "·" : MARKS[satisfied];
}

function short(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  return plain.length <= MAX_CELL_CHARACTERS ? plain : `${plain.slice(0, MAX_CELL_CHARACTERS - 1)}…`;
}
