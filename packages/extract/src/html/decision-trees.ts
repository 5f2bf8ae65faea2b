/** A sum of regression trees in flat arrays; `gen/` holds the trained ones as text. */
export interface DecisionTrees {
  /** The first node of each tree. */
  readonly roots: Uint32Array;
  /** The feature a node asks for; -1 at a leaf. */
  readonly features: Int16Array;
  /** The threshold of a node, or the value of a leaf. */
  readonly values: Float32Array;
  /** The node for "at most the threshold"; the other one is next to it. */
  readonly lefts: Uint32Array;
}

/** Reads trees from the text that `writeTrees` made. Throws on text that is none, which only a broken build has. */
export function readTrees(text: string): DecisionTrees {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  const view = new DataView(bytes.buffer);
  const treeCount = view.getUint32(0, true);
  const nodeCount = view.getUint32(4, true);
  if (bytes.length !== 8 + treeCount * 4 + nodeCount * 8) throw new Error("the block model is damaged: train it again");
  const roots = new Uint32Array(treeCount);
  const features = new Int16Array(nodeCount);
  const values = new Float32Array(nodeCount);
  const lefts = new Uint32Array(nodeCount);
  for (let tree = 0; tree < treeCount; tree += 1) roots[tree] = view.getUint32(8 + tree * 4, true);
  for (let node = 0; node < nodeCount; node += 1) {
    const at = 8 + treeCount * 4 + node * 8;
    features[node] = view.getInt16(at, true);
    lefts[node] = (roots[findTree(roots, node)] ?? 0) + view.getUint16(at + 2, true);
    values[node] = view.getFloat32(at + 4, true);
  }
  return { roots, features, values, lefts };
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

/** The chance (0 to 1) the trees give to the row of features that begins at `at`. */
export function evaluateTrees(trees: DecisionTrees, rows: Float32Array, at: number): number {
  const { roots, features, values, lefts } = trees;
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree += 1) {
    let node = roots[tree] as number;
    for (let feature = features[node] as number; feature >= 0; feature = features[node] as number) {
      node = (lefts[node] as number) + Number((rows[at + feature] as number) > (values[node] as number));
    }
    sum += values[node] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}

/** The tree a node belongs to: the last root at or before it. */
function findTree(roots: Uint32Array, node: number): number {
  let low = 0;
  let high = roots.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((roots[middle] ?? 0) <= node) low = middle;
    else high = middle - 1;
  }
  return low;
}
