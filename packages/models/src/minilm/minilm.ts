import { setImmediate } from "node:timers/promises";
import { Tokenizer } from "@huggingface/tokenizers";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { AppError } from "@quarry/base";
import { MINILM, type ModelFiles } from "./model-files.ts";

/** The model in this thread. Inference blocks it for a few milliseconds a short text; between two texts all else has its turn. */
export interface MiniLm {
  readonly embed: (texts: readonly string[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;
  readonly close: () => Promise<void>;
}

/** Characters that can matter to the first 256 tokens; the rest is not even tokenised. */
const MAX_CHARACTERS = 8_192;

/** Loads the model. `threads` is how many cores one inference may use. */
export async function loadMiniLm(files: ModelFiles, threads: number): Promise<MiniLm> {
  // The packaged description pads and cuts at 128 tokens; the model was trained for 256.
  const tokenizer = new Tokenizer({ ...files.tokenizer, padding: null, truncation: null }, { do_lower_case: true });
  const session = await InferenceSession.create(files.weights, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
  });
  let turn: Promise<void> | undefined;
  /** Inference is synchronous, whatever its promise says: without this, callers at once would keep I/O out until all are served. */
  const takeTurn = async (): Promise<void> => {
    while (turn !== undefined) await turn;
    turn = setImmediate().then(() => (turn = undefined));
  };
  return {
    embed: async (texts, signal) => {
      // One by one: on a CPU batches gain nothing, and int8 scales are taken over a whole batch, so that
      // a text's vector would depend on its company (cosine .98 with itself).
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        await takeTurn();
        signal?.throwIfAborted();
        vectors.push(await infer(session, toTokenIds(tokenizer, text)));
      }
      return vectors;
    },
    close: () => session.release(),
  };
}

/** Ids of the text's first tokens, between the start and the end mark. */
function toTokenIds(tokenizer: Tokenizer, text: string): readonly number[] {
  const ids = tokenizer.encode(text.slice(0, MAX_CHARACTERS)).ids;
  if (ids.length <= MINILM.maxTokens) return ids;
  const end = ids.at(-1);
  return end === undefined ? ids : [...ids.slice(0, MINILM.maxTokens - 1), end];
}

async function infer(session: InferenceSession, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const output = await session.run({
    input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new Tensor("int64", new BigInt64Array(ids.length), shape),
  });
  const hidden = output["last_hidden_state"]?.data;
  if (!(hidden instanceof Float32Array)) throw new AppError("internal", "the embedded model gave no hidden state");
  return poolMean(hidden, ids.length);
}

/** The mean of a text's token vectors, at unit length. */
function poolMean(hidden: Float32Array, tokens: number): Float32Array {
  const { dimensions } = MINILM;
  const vector = new Float32Array(dimensions);
  for (let place = 0; place < tokens * dimensions; place += 1) {
    const dimension = place % dimensions;
    vector[dimension] = (vector[dimension] ?? 0) + (hidden[place] ?? 0);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
