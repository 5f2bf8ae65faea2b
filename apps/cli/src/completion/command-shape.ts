import type { Command, Option } from "commander";

/** One option as a shell completes it. */
export interface OptionShape {
  /** Every way to write it, such as `-q` and `--quiet`. */
  readonly flags: readonly string[];
  readonly takesValue: boolean;
  readonly description: string;
}

/** One command of the tree as a shell completes it. */
export interface CommandShape {
  /** The words that lead to it, such as `keys list`; empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly { readonly names: readonly string[]; readonly description: string }[];
  readonly options: readonly OptionShape[];
  /** Words its first argument may be. */
  readonly choices: readonly string[];
  readonly takesFile: boolean;
}

/** Every command of the tree, parents before their children. */
export function listCommandShapes(program: Command): readonly CommandShape[] {
  const globalOptions = program.options.map(toOptionShape);
  return listBelow(program, [], [...globalOptions, HELP_OPTION]);
}

const HELP_OPTION: OptionShape = { flags: ["-h", "--help"], takesValue: false, description: "explain a command" };

function listBelow(command: Command, path: readonly string[], globalOptions: readonly OptionShape[]): CommandShape[] {
  const children = command.commands.filter((child) => child.name() !== "help");
  const isRoot = path.length === 0;
  const [argument] = command.registeredArguments;
  const shape: CommandShape = {
    path: path.join(" "),
    subcommands: children.map((child) => ({
      names: [child.name(), ...child.aliases()],
      description: child.description(),
    })),
    options: isRoot ? globalOptions : [...command.options.map(toOptionShape), ...globalOptions],
    choices: argument?.argChoices ?? [],
    takesFile: argument?.name() === "file",
  };
  const help: CommandShape = {
    path: "help",
    subcommands: [],
    options: [],
    choices: shape.subcommands.flatMap(({ names }) => names.slice(0, 1)),
    takesFile: false,
  };
  const root = { ...shape, subcommands: [...shape.subcommands, { names: ["help"], description: "explain a command" }] };
  return [
    ...(isRoot ? [root, help] : [shape]),
    ...children.flatMap((child) => listBelow(child, [...path, child.name()], globalOptions)),
  ];
}

function toOptionShape(option: Option): OptionShape {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    takesValue: option.required || option.optional,
    description: option.description,
  };
}
