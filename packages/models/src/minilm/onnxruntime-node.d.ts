// The package ships no types of its own: its names are those of onnxruntime-common.
declare module "onnxruntime-node" {
  export { InferenceSession, Tensor } from "onnxruntime-common";
}
