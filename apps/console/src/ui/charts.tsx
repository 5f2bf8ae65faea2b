import type { ReactNode } from "react";
import { formatShort } from "./format.ts";
import { niceCeiling, tickLabels } from "./chart-scale.ts";
import { say } from "../words/say.ts";

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 8;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

/** One column or point of a chart over time. */
export interface ChartPoint {
  readonly label: string;
  /** One value per series; none at all where nothing was measured. */
  readonly values: readonly number[] | undefined;
}

/** What a chart draws. */
export interface ChartProps {
  readonly title: string;
  readonly series: readonly { readonly name: string; readonly color: "1" | "2" | "3" | "4" | "bad" }[];
  readonly points: readonly ChartPoint[];
  readonly format?: (value: number) => string;
}

/** Columns over time; several series stand on each other. */
export function ColumnChart({ title, series, points, format = formatShort }: ChartProps): ReactNode {
  const top = niceCeiling(
    Math.max(0, ...points.map(({ values = [] }) => values.reduce((sum, value) => sum + value, 0))),
  );
  const step = (WIDTH - LEFT) / Math.max(1, points.length);
  return (
    <Frame title={title} series={series} top={top} points={points} format={format}>
      {points.map(({ label, values = [] }, index) => {
        let from = 0;
        return (
          <g key={index}>
            <title>{describePoint(label, series, values, format)}</title>
            {values.map((value, place) => {
              const height = (value / top) * PLOT_HEIGHT;
              from += height;
              return (
                <rect
                  key={series[place]?.name}
                  className={`fill-${series[place]?.color ?? "1"}`}
                  x={LEFT + index * step + step * 0.14}
                  y={TOP + PLOT_HEIGHT - from}
                  width={step * 0.72}
                  height={height}
                  rx={Math.min(2, step * 0.2)}
                />
              );
            })}
            <rect x={LEFT + index * step} y={TOP} width={step} height={PLOT_HEIGHT} fill="transparent" />
          </g>
        );
      })}
    </Frame>
  );
}

/** Lines over time. */
export function LineChart({ title, series, points, format = formatShort }: ChartProps): ReactNode {
  const top = niceCeiling(Math.max(0, ...points.flatMap(({ values = [] }) => values)));
  const step = (WIDTH - LEFT) / Math.max(1, points.length);
  const at = (index: number, value: number): readonly [number, number] => [
    LEFT + (index + 0.5) * step,
    TOP + PLOT_HEIGHT - (value / top) * PLOT_HEIGHT,
  ];
  return (
    <Frame title={title} series={series} top={top} points={points} format={format}>
      {series.map(({ name, color }, place) => (
        <g key={name}>
          <polyline
            className={`line stroke-${color}`}
            points={points
              .flatMap(({ values }, index) => (values === undefined ? [] : [at(index, values[place] ?? 0).join(",")]))
              .join(" ")}
          />
          {points.map(({ label, values }, index) => {
            if (values === undefined) return null;
            const [x, y] = at(index, values[place] ?? 0);
            return (
              <circle key={index} className={`fill-${color}`} cx={x} cy={y} r={points.length > 40 ? 1.5 : 3}>
                <title>{describePoint(label, series, values, format)}</title>
              </circle>
            );
          })}
        </g>
      ))}
    </Frame>
  );
}

/** Shares as bars, in the order given. */
export function BarList(props: {
  readonly label: string;
  readonly rows: readonly { readonly name: string; readonly value: number; readonly note?: ReactNode }[];
  readonly format?: (value: number) => string;
}): ReactNode {
  const { rows, format = formatShort } = props;
  const top = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ul className="bars" aria-label={props.label}>
      {rows.map(({ name, value, note }) => (
        <li key={name}>
          <span className="clip" title={name}>
            {note ?? name}
          </span>
          <span className="track" aria-hidden="true">
            <span style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <span className="number soft">{format(value)}</span>
        </li>
      ))}
    </ul>
  );
}

function Frame(
  props: Required<ChartProps> & {
    readonly top: number;
    readonly children: ReactNode;
  },
): ReactNode {
  const { title, series, points, top, format } = props;
  const labels = tickLabels(points.map(({ label }) => label));
  const step = (WIDTH - LEFT) / Math.max(1, points.length);
  return (
    <figure className="chart stack">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ name, color }) => (
          <span key={name}>
            <i className={`fill-${color}`} />
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={say("ui.theFiguresAreInThe", { title })}>
        {[0, 0.5, 1].map((share) => {
          const y = TOP + PLOT_HEIGHT * (1 - share);
          return (
            <g key={share}>
              <line className="rule" x1={LEFT} x2={WIDTH} y1={y} y2={y} />
              <text x={LEFT - 8} y={y + 4} textAnchor="end">
                {format(top * share)}
              </text>
            </g>
          );
        })}
        {props.children}
        {labels.map(({ index, label }) => (
          <text key={index} x={LEFT + (index + 0.5) * step} y={HEIGHT - 4} textAnchor="middle">
            {label}
          </text>
        ))}
      </svg>
    </figure>
  );
}

function describePoint(
  label: string,
  series: ChartProps["series"],
  values: readonly number[],
  format: (value: number) => string,
): string {
  return [label, ...series.map(({ name }, index) => `${name}: ${format(values[index] ?? 0)}`)].join("\n");
}
