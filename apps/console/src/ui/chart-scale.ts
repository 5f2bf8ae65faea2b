const MOST_LABELS = 7;

/** The round number at or above `value` that an axis ends at: 1, 2 or 5 times a power of ten, at least something. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => value <= one * power) ?? 10;
  return step * power;
}

/** Which of many labels have room below a chart, spread evenly. */
export function tickLabels(labels: readonly string[]): readonly { readonly index: number; readonly label: string }[] {
  const every = Math.max(1, Math.ceil(labels.length / MOST_LABELS));
  return labels.map((label, index) => ({ index, label })).filter(({ index }) => index % every === 0);
}
