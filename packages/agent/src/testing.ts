export { runInterleaving } from "./testing-interleavings.ts";
export type { Chance, Interleaving, Plant } from "./testing-interleavings.ts";
export { writeNoteTool } from "./testing-tools.ts";
