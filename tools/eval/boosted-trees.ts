/** A regression tree as parallel arrays; node 0 is the root, `feature` is -1 at a leaf. */
export interface Tree {
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly value: readonly number[];
}

/** Rows of features with a soft label in 0..1 and a weight each. */
export interface TrainingRows {
  readonly features: Float32Array;
  readonly width: number;
  readonly labels: Float32Array;
  readonly weights: Float32Array;
}

/** How to grow the trees. The seed makes a run repeatable. */
export interface BoostingOptions {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  readonly minWeight: number;
  readonly lambda: number;
  readonly rowShare: number;
  readonly featureShare: number;
  readonly seed: number;
}

const BINS = 64;

/** Gradient boosting on logistic loss with histograms; the sum of the trees is a log-odds. */
export function growTrees(rows: TrainingRows, options: BoostingOptions): readonly Tree[] {
  const { width, labels, weights } = rows;
  const count = labels.length;
  const random = makeRandom(options.seed);
  const cuts = Array.from({ length: width }, (_, feature) => findCuts(rows, feature));
  const binned = cuts.map((cut, feature) => binColumn(rows, feature, cut));
  const scores = new Float64Array(count);
  const gradients = new Float64Array(count);
  const hessians = new Float64Array(count);
  const trees: Tree[] = [];
  for (let round = 0; round < options.trees; round += 1) {
    for (let row = 0; row < count; row += 1) {
      const probability = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
      const weight = weights[row] ?? 0;
      gradients[row] = weight * (probability - (labels[row] ?? 0));
      hessians[row] = weight * Math.max(1e-6, probability * (1 - probability));
    }
    const sample: number[] = [];
    for (let row = 0; row < count; row += 1) if (random() < options.rowShare) sample.push(row);
    const features: number[] = [];
    for (let feature = 0; feature < width; feature += 1) {
      if ((cuts[feature]?.length ?? 0) > 0 && random() < options.featureShare) features.push(feature);
    }
    const tree = growTree(sample, features, binned, cuts, gradients, hessians, options);
    trees.push(tree);
    for (let row = 0; row < count; row += 1) {
      scores[row] = (scores[row] ?? 0) + evaluateTree(tree, rows.features, row * width);
    }
  }
  return trees;
}

/** The value of one tree for the row that begins at `at`. */
export function evaluateTree(tree: Tree, features: Float32Array, at: number): number {
  let node = 0;
  for (;;) {
    const feature = tree.feature[node] ?? -1;
    if (feature < 0) return tree.value[node] ?? 0;
    node = ((features[at + feature] ?? 0) <= (tree.threshold[node] ?? 0) ? tree.left[node] : tree.right[node]) ?? 0;
  }
}

/** Sums of gradients and hessians by feature and bin: `[feature * BINS * 2 + bin * 2]`. */
type Histogram = Float64Array;

interface OpenNode {
  readonly node: number;
  readonly rows: Int32Array;
  readonly depth: number;
  readonly histogram: Histogram;
}

function growTree(
  sample: readonly number[],
  features: readonly number[],
  binned: readonly Uint8Array[],
  cuts: readonly Float32Array[],
  gradients: Float64Array,
  hessians: Float64Array,
  options: BoostingOptions,
): Tree {
  const feature: number[] = [];
  const threshold: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const value: number[] = [];
  const columns = features.map((index) => binned[index] ?? new Uint8Array(0));
  const addNode = (): number => {
    feature.push(-1);
    threshold.push(0);
    left.push(0);
    right.push(0);
    value.push(0);
    return feature.length - 1;
  };
  const rootRows = Int32Array.from(sample);
  const queue: OpenNode[] = [
    { node: addNode(), rows: rootRows, depth: 0, histogram: sumRows(rootRows, columns, gradients, hessians) },
  ];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { node, rows, depth, histogram } = next;
    let gradient = 0;
    let hessian = 0;
    for (let bin = 0; bin < BINS; bin += 1) {
      gradient += histogram[bin * 2] ?? 0;
      hessian += histogram[bin * 2 + 1] ?? 0;
    }
    value[node] = (-gradient / (hessian + options.lambda)) * options.rate;
    if (depth >= options.depth || rows.length < 20) continue;
    const split = findSplit(histogram, columns.length, gradient, hessian, options);
    if (split === undefined) continue;
    const column = columns[split.column] ?? new Uint8Array(0);
    const leftRows = rows.filter((row) => (column[row] ?? 0) <= split.bin);
    const rightRows = rows.filter((row) => (column[row] ?? 0) > split.bin);
    const index = features[split.column] ?? 0;
    const [leftNode, rightNode] = [addNode(), addNode()];
    feature[node] = index;
    threshold[node] = cuts[index]?.[split.bin] ?? 0;
    left[node] = leftNode;
    right[node] = rightNode;
    // the larger child's sums are what the smaller one leaves over
    const leftIsSmall = leftRows.length < rightRows.length;
    const small = sumRows(leftIsSmall ? leftRows : rightRows, columns, gradients, hessians);
    const large = histogram.map((sum, at) => sum - (small[at] ?? 0));
    queue.push({ node: leftNode, rows: leftRows, depth: depth + 1, histogram: leftIsSmall ? small : large });
    queue.push({ node: rightNode, rows: rightRows, depth: depth + 1, histogram: leftIsSmall ? large : small });
  }
  return { feature, threshold, left, right, value };
}

function sumRows(
  rows: Int32Array,
  columns: readonly Uint8Array[],
  gradients: Float64Array,
  hessians: Float64Array,
): Histogram {
  const histogram = new Float64Array(columns.length * BINS * 2);
  columns.forEach((column, index) => {
    const base = index * BINS * 2;
    for (const row of rows) {
      const at = base + (column[row] ?? 0) * 2;
      histogram[at] = (histogram[at] ?? 0) + (gradients[row] ?? 0);
      histogram[at + 1] = (histogram[at + 1] ?? 0) + (hessians[row] ?? 0);
    }
  });
  return histogram;
}

function findSplit(
  histogram: Histogram,
  columns: number,
  gradient: number,
  hessian: number,
  options: BoostingOptions,
): { readonly column: number; readonly bin: number } | undefined {
  const base = (gradient * gradient) / (hessian + options.lambda);
  let best: { column: number; bin: number } | undefined;
  let bestGain = 1e-4;
  for (let column = 0; column < columns; column += 1) {
    let leftGradient = 0;
    let leftHessian = 0;
    for (let bin = 0; bin < BINS - 1; bin += 1) {
      const at = (column * BINS + bin) * 2;
      leftGradient += histogram[at] ?? 0;
      leftHessian += histogram[at + 1] ?? 0;
      const rightHessian = hessian - leftHessian;
      if (leftHessian < options.minWeight) continue;
      if (rightHessian < options.minWeight) break;
      const rightGradient = gradient - leftGradient;
      const gain =
        (leftGradient * leftGradient) / (leftHessian + options.lambda) +
        (rightGradient * rightGradient) / (rightHessian + options.lambda) -
        base;
      if (gain > bestGain) {
        bestGain = gain;
        best = { column, bin };
      }
    }
  }
  return best;
}

function findCuts(rows: TrainingRows, feature: number): Float32Array {
  const count = rows.labels.length;
  const step = Math.max(1, Math.floor(count / 20_000));
  const values: number[] = [];
  for (let row = 0; row < count; row += step) values.push(rows.features[row * rows.width + feature] ?? 0);
  values.sort((one, other) => one - other);
  const cuts: number[] = [];
  for (let bin = 1; bin < BINS; bin += 1) {
    const value = values[Math.floor((bin * values.length) / BINS)] ?? 0;
    if (value !== cuts.at(-1) && value < (values.at(-1) ?? 0)) cuts.push(value);
  }
  const distinct = new Set(values);
  if (distinct.size <= BINS) return Float32Array.from([...distinct].slice(0, -1));
  return Float32Array.from(cuts);
}

function binColumn(rows: TrainingRows, feature: number, cuts: Float32Array): Uint8Array {
  const count = rows.labels.length;
  const column = new Uint8Array(count);
  for (let row = 0; row < count; row += 1) {
    const value = rows.features[row * rows.width + feature] ?? 0;
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (cuts[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    column[row] = low;
  }
  return column;
}

/** A small repeatable generator (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
