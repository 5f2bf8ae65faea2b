/**
 * A sum of regression trees, each filled up to the same depth: node n has its children at 2n + 1 and 2n + 2, so
 * walking down needs no addresses. `gen/` holds the trained ones as text.
 */
export interface DecisionTrees {
  readonly count: number;
  readonly depth: number;
  /** The feature each inner node asks for, and its threshold as `toOrdered` writes it, tree by tree. */
  readonly features: Uint16Array;
  readonly thresholds: Int32Array;
  /** The values at the bottom, tree by tree. */
  readonly leaves: Float32Array;
}

/** Reads trees from the text that `writeTrees` made. Throws on text that is none, which only a broken build has. */
export function readTrees(text: string): DecisionTrees {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  const view = new DataView(bytes.buffer);
  const count = view.getUint32(0, true);
  const nodeCount = view.getUint32(4, true);
  if (bytes.length !== 8 + count * 4 + nodeCount * 8) throw new Error("the block model is damaged: train it again");
  const nodes = 8 + count * 4;
  const rootOf = (tree: number): number => view.getUint32(8 + tree * 4, true);
  const featureOf = (node: number): number => view.getInt16(nodes + node * 8, true);
  const leftOf = (node: number): number => view.getUint16(nodes + node * 8 + 2, true);
  const numberOf = (node: number): number => view.getFloat32(nodes + node * 8 + 4, true);
  const depthOf = (root: number, node: number): number =>
    featureOf(node) < 0 ? 0 : 1 + Math.max(depthOf(root, root + leftOf(node)), depthOf(root, root + leftOf(node) + 1));
  const depth = Math.max(0, ...Array.from({ length: count }, (_, tree) => depthOf(rootOf(tree), rootOf(tree))));
  const innerCount = 2 ** depth - 1;
  const features = new Uint16Array(count * innerCount);
  const thresholds = new Float32Array(count * innerCount);
  const leaves = new Float32Array(count * (innerCount + 1));
  /** A leaf above the bottom is repeated below by nodes that decide nothing. */
  const place = (tree: number, root: number, node: number, at: number): void => {
    if (at >= innerCount) leaves[tree * (innerCount + 1) + at - innerCount] = numberOf(node);
    else {
      const isLeaf = featureOf(node) < 0;
      features[tree * innerCount + at] = isLeaf ? 0 : featureOf(node);
      thresholds[tree * innerCount + at] = isLeaf ? Infinity : numberOf(node);
      place(tree, root, isLeaf ? node : root + leftOf(node), 2 * at + 1);
      place(tree, root, isLeaf ? node : root + leftOf(node) + 1, 2 * at + 2);
    }
  };
  for (let tree = 0; tree < count; tree += 1) place(tree, rootOf(tree), rootOf(tree), 0);
  return { count, depth, features, thresholds: toOrdered(thresholds), leaves };
}

/** One tree with its own numbering of nodes, as training makes it. */
export interface GrownTree {
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly left: readonly number[];
  readonly value: readonly number[];
}

/** Writes trees as base64: counts, roots, then feature, left child and number of each node. */
export function writeTrees(trees: readonly GrownTree[]): string {
  const nodeCount = trees.reduce((sum, tree) => sum + tree.feature.length, 0);
  const bytes = Buffer.alloc(8 + trees.length * 4 + nodeCount * 8);
  bytes.writeUInt32LE(trees.length, 0);
  bytes.writeUInt32LE(nodeCount, 4);
  let node = 0;
  trees.forEach((tree, index) => {
    bytes.writeUInt32LE(node, 8 + index * 4);
    tree.feature.forEach((feature, own) => {
      const at = 8 + trees.length * 4 + node * 8;
      bytes.writeInt16LE(feature, at);
      bytes.writeUInt16LE(tree.left[own] ?? 0, at + 2);
      bytes.writeFloatLE((feature < 0 ? tree.value[own] : tree.threshold[own]) ?? 0, at + 4);
      node += 1;
    });
  });
  return bytes.toString("base64");
}

/** The chances (0 to 1) the trees give to rows of features, each `width` wide. */
export function evaluateTrees(trees: DecisionTrees, rows: Float32Array, width: number): Float64Array {
  const { count, depth, features, thresholds, leaves } = trees;
  const innerCount = 2 ** depth - 1;
  const rowCount = Math.floor(rows.length / width);
  const sums = new Float64Array(rowCount);
  // one list for all rounds: a page has a hundred thousand numbers, and this one stays in the nearest cache
  const values = new Int32Array(Math.min(rowCount, ROWS_AT_ONCE) * width);
  for (let begin = 0; begin < rowCount; begin += ROWS_AT_ONCE) {
    const end = Math.min(rowCount, begin + ROWS_AT_ONCE);
    putOrdered(rows.subarray(begin * width, end * width), values);
    for (let tree = 0; tree < count; tree += 1) {
      const first = tree * innerCount;
      const firstLeaf = first + tree - innerCount;
      let row = begin;
      // four rows side by side: none waits for the memory that another one asks for
      for (; row + 4 <= end; row += 4) {
        const at = (row - begin) * width;
        let node0 = 0;
        let node1 = 0;
        let node2 = 0;
        let node3 = 0;
        for (let level = 0; level < depth; level += 1) {
          node0 = stepDown(features, thresholds, first, node0, values, at);
          node1 = stepDown(features, thresholds, first, node1, values, at + width);
          node2 = stepDown(features, thresholds, first, node2, values, at + 2 * width);
          node3 = stepDown(features, thresholds, first, node3, values, at + 3 * width);
        }
        sums[row] = (sums[row] as number) + (leaves[firstLeaf + node0] as number);
        sums[row + 1] = (sums[row + 1] as number) + (leaves[firstLeaf + node1] as number);
        sums[row + 2] = (sums[row + 2] as number) + (leaves[firstLeaf + node2] as number);
        sums[row + 3] = (sums[row + 3] as number) + (leaves[firstLeaf + node3] as number);
      }
      for (; row < end; row += 1) {
        let node = 0;
        for (let level = 0; level < depth; level += 1)
          node = stepDown(features, thresholds, first, node, values, (row - begin) * width);
        sums[row] = (sums[row] as number) + (leaves[firstLeaf + node] as number);
      }
    }
  }
  return sums.map((sum) => 1 / (1 + Math.exp(-sum)));
}

/** So few that their values stay in the processor's nearest cache while all trees look at them. */
const ROWS_AT_ONCE = 32;

/**
 * One step down a tree: to the right child when the row's value is above the node's threshold, without a branch. It
 * takes all by argument: as a closure it would be a third slower, and it runs some hundred thousand times a page.
 */
function stepDown(
  features: Uint16Array,
  thresholds: Int32Array,
  first: number,
  node: number,
  values: Int32Array,
  at: number,
): number {
  const place = (first + node) | 0;
  const difference = (thresholds[place] as number) - (values[(at + (features[place] as number)) | 0] as number);
  return (node + node + 1 + (difference >>> 31)) | 0;
}

/**
 * Numbers as integers in the same order: the bits of a float sort like an integer's, once those of negative ones are
 * turned round. The last bit is given up, so that the difference of any two has room.
 */
function toOrdered(values: Float32Array): Int32Array {
  const ordered = new Int32Array(values.length);
  putOrdered(values, ordered);
  return ordered;
}

function putOrdered(values: Float32Array, ordered: Int32Array): void {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  // a plain loop: `map` calls a function for each of a page's hundred thousand numbers
  for (let index = 0; index < bits.length; index += 1) {
    const value = bits[index] as number;
    ordered[index] = (value ^ ((value >> 31) & 0x7fffffff)) >> 1;
  }
}
