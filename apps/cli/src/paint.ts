import type { Output } from "./cli-context.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** The text in a colour where the output shows colours, else as it is. */
export function paint(output: Output, colour: keyof typeof CODES, text: string): string {
  return output.hasColors ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text;
}
