/** Something the palette can do. */
export interface Command {
  readonly id: string;
  readonly name: string;
  /** What kind of thing it is, shown at the right. */
  readonly kind: string;
  /** Other words that find it. */
  readonly words?: string;
}

const MOST_SHOWN = 12;

/**
 * The commands that fit what was typed: every word of it must begin a word of the command. Those whose name begins so
 * come first; otherwise the order stays.
 */
export function findCommands<C extends Command>(commands: readonly C[], typed: string): readonly C[] {
  const wanted = toWords(typed);
  if (wanted.length === 0) return commands.slice(0, MOST_SHOWN);
  const fitting = commands.filter(({ name, kind, words = "" }) => {
    const known = toWords(`${name} ${kind} ${words}`);
    return wanted.every((word) => known.some((one) => one.startsWith(word)));
  });
  const inName = (command: C): number => {
    const known = toWords(command.name);
    return wanted.every((word) => known.some((one) => one.startsWith(word))) ? 0 : 1;
  };
  return fitting.toSorted((one, other) => inName(one) - inName(other)).slice(0, MOST_SHOWN);
}

function toWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
