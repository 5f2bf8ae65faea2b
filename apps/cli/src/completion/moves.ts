import type { CommandShape } from "./command-shape.ts";

/** Typing `word` after the command `from` leads to the command `to`. */
export interface Move {
  readonly from: string;
  readonly word: string;
  readonly to: string;
}

/** Every step from a command to one below it; an alias is a step of its own. */
export function listMoves(shapes: readonly CommandShape[]): readonly Move[] {
  return shapes.flatMap(({ path, subcommands }) =>
    subcommands.flatMap(({ names }) => {
      const [name = ""] = names;
      return names.map((word) => ({ from: path, word, to: path === "" ? name : `${path} ${name}` }));
    }),
  );
}

/** Every option that swallows the word after it. */
export function listValueFlags(shapes: readonly CommandShape[]): readonly string[] {
  const options = shapes.flatMap((shape) => shape.options);
  return [...new Set(options.filter((option) => option.takesValue).flatMap((option) => option.flags))];
}
