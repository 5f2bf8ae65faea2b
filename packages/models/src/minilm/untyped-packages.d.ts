// What we use of two packages whose own declarations are missing or do not resolve under NodeNext.

declare module "onnxruntime-node" {
  export { InferenceSession, Tensor } from "onnxruntime-common";
}

declare module "@huggingface/tokenizers" {
  export class Tokenizer {
    constructor(description: Readonly<Record<string, unknown>>, config: Readonly<Record<string, unknown>>);
    encode(text: string): { readonly ids: readonly number[] };
  }
}
