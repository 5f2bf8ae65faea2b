import type { ReactNode } from "react";
import { LineChart } from "../../ui/charts.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo, formatTime } from "../../ui/format.ts";
import { formats, say } from "../../words/say.ts";
import type { JudgedRun } from "./judged-shapes.ts";

const digits = new Intl.NumberFormat(formats, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const change = new Intl.NumberFormat(formats, {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
  signDisplay: "exceptZero",
});
const shortDay = new Intl.DateTimeFormat(formats, {
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
});
const COLORS = ["1", "2", "3", "4"] as const;

/** How well each way of searching did in the last round, beside the one before it, and over time. */
export function JudgedFigures({ runs }: { readonly runs: readonly JudgedRun[] }): ReactNode {
  const [last, before] = runs;
  if (last === undefined) return null;
  const rows = last.figures.map((figures): Row => ({
    ...figures,
    earlier: before?.figures.find(({ type }) => type === figures.type),
  }));
  const oldestFirst = runs.toReversed();
  return (
    <div className="grid">
      {runs.length < 2 ? null : (
        <section className="card">
          <LineChart
            title={say("lab.ndcgOverTime")}
            series={last.figures.map(({ type }, index) => ({ name: type, color: COLORS[index] ?? "1" }))}
            points={oldestFirst.map(({ ranAt, figures }) => ({
              label: shortDay.format(new Date(ranAt)),
              values: last.figures.map(({ type }) => figures.find((one) => one.type === type)?.ndcg ?? 0),
            }))}
            format={(value) => digits.format(value)}
          />
        </section>
      )}
      <section className="card flush" aria-label={say("lab.lastRound")}>
        <div className="card-head">
          <h2>{say("lab.lastRound")}</h2>
          <span className="soft small" title={formatTime(last.ranAt)}>
            {say("lab.askedAt", { queries: last.queries, ago: formatAgo(last.ranAt, new Date()) })}
          </span>
        </div>
        <DataTable label={say("lab.figures")} columns={COLUMNS} rows={rows} rowKey={({ type }) => type} empty="" />
      </section>
    </div>
  );
}

interface Figures {
  readonly type: string;
  readonly ndcg: number;
  readonly mrr: number;
}

interface Row extends Figures {
  readonly earlier: Figures | undefined;
}

function figureColumns(of: "ndcg" | "mrr", heading: string): readonly Column<Row>[] {
  return [
    { id: of, heading, isNumber: true, value: (row) => row[of], cell: (row) => digits.format(row[of]) },
    {
      id: `${of}-change`,
      heading: say("lab.change"),
      isNumber: true,
      value: (row) => (row.earlier === undefined ? 0 : row[of] - row.earlier[of]),
      cell: (row) => (row.earlier === undefined ? "–" : change.format(row[of] - row.earlier[of])),
    },
  ];
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "type", heading: say("lab.type"), value: ({ type }) => type },
  ...figureColumns("ndcg", say("lab.ndcg")),
  ...figureColumns("mrr", say("lab.mrr")),
];
