import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { send } from "../api/send.ts";
import type { Usage, UsageRow } from "../api/shapes.ts";
import { ColumnChart, LineChart, type ChartPoint } from "../ui/charts.tsx";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { formatDollars, formatDuration, formatNumber } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../ui/states.tsx";
import { listPeriods, usagePath } from "./usage-search.ts";
import { say } from "../words/say.ts";

const route = getRouteApi("/usage");
const LOOK_AGAIN_MS = 15_000;
const RANGES = [
  [1, say("usage.n24Hours")],
  [7, say("usage.n7Days")],
  [30, say("usage.n30Days")],
] as const;

const HOUR = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

/** Requests, latency and cost over time, and who caused them. */
export function UsageScreen(): ReactNode {
  const { days = 7, by = "endpoint" } = route.useSearch();
  const navigate = route.useNavigate();
  const periods = listPeriods(days, new Date());
  const from = periods[0] ?? "";
  const byTime = useUsage(from, days === 1 ? "hour" : "day");
  const byWhat = useUsage(from, by);
  return (
    <Page
      title={say("usage.usage")}
      lead={say("usage.requestsToTheAPIHow")}
      actions={
        <a
          className="button"
          href={usagePath({ from, groupBy: `day,${by}`, format: "csv" })}
          download="quarry-usage.csv"
        >
          {say("usage.downloadCSV")}
        </a>
      }
    >
      <fieldset className="chips">
        <legend className="hidden-label">{say("usage.period")}</legend>
        {RANGES.map(([value, name]) => (
          <label key={value} className="chip">
            <input
              type="radio"
              name="days"
              checked={days === value}
              onChange={() => void navigate({ search: (old) => ({ ...old, days: value }) })}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {byTime.isError ? <Trouble error={byTime.error} retry={() => void byTime.refetch()} /> : null}
      {byTime.data === undefined ? (
        byTime.isPending && <SkeletonLines lines={8} />
      ) : byTime.data.total.requests === 0 ? (
        <section className="card">
          <EmptyState icon="usage" title={say("usage.noRequestsInThisTime")}>
            <p>{say("usage.everyCallToTheAPI")}</p>
          </EmptyState>
        </section>
      ) : (
        <Charts usage={byTime.data} periods={periods} isHourly={days === 1} />
      )}
      <section className="card flush" aria-labelledby="usage-table">
        <div className="card-head">
          <h2 id="usage-table">{by === "key" ? say("usage.byKey") : say("usage.byEndpoint")}</h2>
          <div className="chips">
            {(["endpoint", "key"] as const).map((one) => (
              <button
                key={one}
                type="button"
                className="chip"
                aria-pressed={by === one}
                onClick={() => void navigate({ search: (old) => ({ ...old, by: one }) })}
              >
                {one === "key" ? say("usage.keys") : say("usage.endpoints")}
              </button>
            ))}
          </div>
        </div>
        {byWhat.data === undefined ? (
          <div className="card">
            <SkeletonLines lines={4} />
          </div>
        ) : (
          <DataTable
            label={say("usage.usage")}
            columns={by === "key" ? [KEY_COLUMN, ...COLUMNS] : [ENDPOINT_COLUMN, ...COLUMNS]}
            rows={byWhat.data.data}
            rowKey={(row) => row.endpoint ?? row.keyId ?? ""}
            empty={say("usage.nothingInThisTime")}
          />
        )}
      </section>
    </Page>
  );
}

function useUsage(from: string, groupBy: string): UseQueryResult<Usage> {
  return useQuery({
    queryKey: ["usage", from, groupBy],
    queryFn: ({ signal }) => send<Usage>(usagePath({ from, groupBy }), { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

function Charts(props: {
  readonly usage: Usage;
  readonly periods: readonly string[];
  readonly isHourly: boolean;
}): ReactNode {
  const { usage, periods, isHourly } = props;
  const rows = new Map(usage.data.map((row) => [row.periodStart ?? "", row]));
  const toPoints = (pick: (row: UsageRow) => readonly number[]): readonly ChartPoint[] =>
    periods.map((start) => {
      const row = rows.get(start);
      return {
        label: (isHourly ? HOUR : DAY).format(new Date(start)),
        values: row === undefined ? undefined : pick(row),
      };
    });
  return (
    <>
      <dl className="figures">
        <div>
          <dt>{say("usage.requests")}</dt>
          <dd>{formatNumber(usage.total.requests)}</dd>
        </div>
        <div>
          <dt>{say("usage.errors")}</dt>
          <dd>
            {formatNumber(usage.total.errors)}{" "}
            <small>{((100 * usage.total.errors) / usage.total.requests).toFixed(1)} %</small>
          </dd>
        </div>
        <div>
          <dt>{say("usage.tokens")}</dt>
          <dd>{formatNumber(usage.total.tokens)}</dd>
        </div>
        <div>
          <dt>{say("usage.cost")}</dt>
          <dd>{formatDollars(usage.total.costDollars)}</dd>
        </div>
      </dl>
      <div className="grid">
        <section className="card">
          <ColumnChart
            title={say("usage.requests")}
            series={[
              { name: "good", color: "1" },
              { name: "errors", color: "bad" },
            ]}
            points={toPoints((row) => [row.requests - row.errors, row.errors])}
          />
        </section>
        <section className="card">
          <LineChart
            title={say("usage.latency")}
            series={[
              { name: "median", color: "1" },
              { name: say("usage.n95thPercentile"), color: "2" },
            ]}
            points={toPoints((row) => [row.latencyMs.p50, row.latencyMs.p95])}
            format={formatDuration}
          />
        </section>
        {usage.total.costDollars === 0 ? null : (
          <section className="card">
            <ColumnChart
              title={say("usage.cost")}
              series={[{ name: "dollars", color: "3" }]}
              points={toPoints((row) => [row.costDollars])}
              format={formatDollars}
            />
          </section>
        )}
      </div>
    </>
  );
}

const ENDPOINT_COLUMN: Column<UsageRow> = {
  id: "endpoint",
  heading: say("usage.endpoint"),
  value: (row) => row.endpoint ?? "",
  cell: (row) => <code>{row.endpoint}</code>,
};

const KEY_COLUMN: Column<UsageRow> = {
  id: "key",
  heading: say("usage.key"),
  value: (row) => row.keyName ?? say("usage.noKey"),
};

const COLUMNS: readonly Column<UsageRow>[] = [
  {
    id: "requests",
    heading: say("usage.requests"),
    isNumber: true,
    value: (row) => row.requests,
    cell: (row) => formatNumber(row.requests),
  },
  {
    id: "errors",
    heading: say("usage.errors"),
    isNumber: true,
    value: (row) => row.errors,
    cell: (row) => formatNumber(row.errors),
  },
  {
    id: "p50",
    heading: say("usage.median"),
    isNumber: true,
    value: (row) => row.latencyMs.p50,
    cell: (row) => formatDuration(row.latencyMs.p50),
  },
  {
    id: "p95",
    heading: say("usage.n95thPercentile"),
    isNumber: true,
    value: (row) => row.latencyMs.p95,
    cell: (row) => formatDuration(row.latencyMs.p95),
  },
  {
    id: "cost",
    heading: say("usage.cost"),
    isNumber: true,
    value: (row) => row.costDollars,
    cell: (row) => formatDollars(row.costDollars),
  },
];
