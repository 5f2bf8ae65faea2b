/** Values of labels, by label name. */
export type Labels = Readonly<Record<string, string>>;

/** A number that only grows. */
export interface Counter {
  readonly add: (labels?: Labels, amount?: number) => void;
}

/** How values are spread over buckets. */
export interface Histogram {
  readonly observe: (value: number, labels?: Labels) => void;
}

/** The figures of this process, and their Prometheus text. */
export interface Metrics {
  readonly counter: (name: string, help: string) => Counter;
  readonly histogram: (name: string, help: string, buckets: readonly number[]) => Histogram;
  /** A value read when the text is asked for; one figure per label set, or a plain number. */
  readonly gauge: (
    name: string,
    help: string,
    read: () => number | readonly Sample[] | Promise<number | readonly Sample[]>,
  ) => void;
  /** The Prometheus text format, version 0.0.4. */
  readonly render: () => Promise<string>;
}

/** One figure of a gauge. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Makes an empty registry; names are registered once. */
export function createMetrics(): Metrics {
  const families = new Map<string, () => Promise<readonly string[]>>();

  const register = (name: string, help: string, type: string, lines: () => string[] | Promise<string[]>): void => {
    if (families.has(name)) throw new Error(`the metric ${name} is registered twice`);
    families.set(name, async () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())]);
  };

  return {
    counter(name, help) {
      const values = new Map<string, number>();
      register(name, help, "counter", () => [...values].map(([labels, value]) => `${name}${labels} ${value}`));
      return {
        add: (labels = {}, amount = 1) => {
          const id = formatLabels(labels);
          values.set(id, (values.get(id) ?? 0) + amount);
        },
      };
    },

    histogram(name, help, buckets) {
      const series = new Map<string, HistogramSeries>();
      register(name, help, "histogram", () =>
        [...series.values()].flatMap((one) => formatHistogram(name, buckets, one)),
      );
      return {
        observe: (value, labels = {}) => {
          const id = formatLabels(labels);
          const one = series.get(id) ?? { labels, counts: buckets.map(() => 0), count: 0, sum: 0 };
          series.set(id, one);
          const bucket = buckets.findIndex((bound) => value <= bound);
          if (bucket !== -1) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
          one.count += 1;
          one.sum += value;
        },
      };
    },

    gauge(name, help, read) {
      register(name, help, "gauge", async () => {
        const value = await read();
        const samples = typeof value === "number" ? [{ labels: {}, value }] : value;
        return samples.map((sample) => `${name}${formatLabels(sample.labels)} ${sample.value}`);
      });
    },

    async render() {
      const blocks = await Promise.all([...families.values()].map((lines) => lines()));
      return blocks.flat().join("\n") + "\n";
    },
  };
}

interface HistogramSeries {
  readonly labels: Labels;
  readonly counts: number[];
  count: number;
  sum: number;
}

function formatHistogram(name: string, buckets: readonly number[], series: HistogramSeries): readonly string[] {
  let below = 0;
  const bounds = buckets.map((bound, index) => {
    below += series.counts[index] ?? 0;
    return `${name}_bucket${formatLabels({ ...series.labels, le: String(bound) })} ${below}`;
  });
  const labels = formatLabels(series.labels);
  return [
    ...bounds,
    `${name}_bucket${formatLabels({ ...series.labels, le: "+Inf" })} ${series.count}`,
    `${name}_sum${labels} ${series.sum}`,
    `${name}_count${labels} ${series.count}`,
  ];
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
