import type { Table } from "./print-table.ts";
import { PUBLISHED_HIGHLIGHTS } from "./search-highlights.ts";
import type { Measure, SearchSetName } from "./search-sets.ts";

/** What ranking a set came to. */
export interface RankedSet {
  readonly name: string;
  readonly measure: Measure;
  readonly table: Table;
}

/** So much worse than the better of words and meaning `auto` may be on a set, and `deep` than `auto`. */
const AUTO_SLACK = 0.01;
const DEEP_SLACK = 0.005;
/** What T28 wants of `auto` over the better of words and meaning. */
const HYBRID_GAIN = 0.02;

const FLOORS: Readonly<Partial<Record<SearchSetName, Readonly<Record<string, number>>>>> = {
  nfcorpus: { keyword: 0.32, neural: 0.3, fast: 0.36, auto: 0.365 },
  cranfield: { keyword: 0.38, auto: 0.43 },
  cacm: { keyword: 0.31, auto: 0.35 },
  cosqa: { auto: 0.45 },
  "limit-small": { keyword: 0.97, auto: 0.97 },
};

/** Each requirement on the quality of searching, what was measured, and whether that is enough. */
export function checkTargets(sets: readonly RankedSet[], highlights: Table | undefined): Table {
  return {
    title: "what is wanted of searching",
    columns: ["requirement", "of", "measured", "wanted", ""],
    rows: [...sets.flatMap(checkSet), ...(highlights === undefined ? [] : checkHighlights(highlights))],
  };
}

function checkSet({ name, measure, table }: RankedSet): readonly (readonly (string | number)[])[] {
  const figure = (plan: string): number =>
    Number(table.rows.find(([own]) => own === plan)?.[table.columns.indexOf(measure)]);
  const floors = Object.entries(FLOORS[name as SearchSetName] ?? {}).map(([plan, wanted]) =>
    toRow(`${name} ${measure}`, plan, figure(plan), wanted),
  );
  const better = Math.max(figure("keyword"), figure("neural"));
  return [
    ...floors,
    toRow("search:quality:auto-not-worse", name, figure("auto"), better - AUTO_SLACK),
    toRow("search:quality:deep-not-worse", name, figure("deep"), figure("auto") - DEEP_SLACK),
    toRow("promises:t28:hybrid-better", name, figure("auto"), better + HYBRID_GAIN),
  ];
}

/** Of all questions, the halves together, for each way and budget. */
function checkHighlights({ columns, rows }: Table): readonly (readonly (string | number)[])[] {
  const names = [...new Set(rows.map(([by = "", budget = ""]) => `${by}, ${budget} characters`))];
  return names.flatMap((name) => {
    const own = rows.filter(([by = "", budget = ""]) => `${by}, ${budget} characters` === name);
    const counts = own.map((row) => Number(row[columns.indexOf("count")]));
    const all = counts.reduce((sum, count) => sum + count, 0);
    return (["recall", "precision"] as const).map((measure) => {
      const sum = own.reduce(
        (total, row, half) => total + Number(row[columns.indexOf(measure)]) * (counts[half] ?? 0),
        0,
      );
      return toRow(`highlights, ${measure}`, name, sum / all, PUBLISHED_HIGHLIGHTS[measure]);
    });
  });
}

function toRow(requirement: string, of: string, measured: number, wanted: number): readonly (string | number)[] {
  return [requirement, of, measured, wanted, measured >= wanted ? "met" : "MISSED"];
}
