/** One instruction of a Dockerfile, its flags apart. */
export interface DockerInstruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The words after the flags; of the JSON form, its strings. */
  readonly words: readonly string[];
  /** The stage it belongs to, from 0. */
  readonly stage: number;
  readonly line: number;
}

/** Reads a Dockerfile: continuations joined, comments dropped. Heredocs are not used here. */
export function parseDockerfile(text: string): readonly DockerInstruction[] {
  const instructions: DockerInstruction[] = [];
  let stage = -1;
  let pending = "";
  let start = 1;
  for (const [index, raw] of text.split("\n").entries()) {
    if (/^\s*#/.test(raw) || (pending === "" && raw.trim() === "")) continue;
    if (pending === "") start = index + 1;
    pending += raw.replace(/\\\s*$/, " ");
    if (/\\\s*$/.test(raw)) continue;
    const [name = "", ...rest] = pending.trim().split(/\s+/);
    if (name.toUpperCase() === "FROM") stage += 1;
    instructions.push({ name: name.toUpperCase(), stage, line: start, ...splitFlags(pending.trim(), rest) });
    pending = "";
  }
  return instructions;
}

function splitFlags(instruction: string, words: readonly string[]): Pick<DockerInstruction, "flags" | "words"> {
  const count = words.findIndex((word) => !word.startsWith("--"));
  const flagWords = words.slice(0, count === -1 ? words.length : count);
  const flags: Record<string, string> = {};
  for (const word of flagWords) {
    const [, name = "", value = ""] = /^--([\w-]+)=?(.*)$/.exec(word) ?? [];
    flags[name] = value;
  }
  const rest = words.slice(flagWords.length);
  const json = instruction.slice(instruction.indexOf("[")); // the exec form: CMD ["node", "x"]
  return { flags, words: rest[0]?.startsWith("[") === true ? readStrings(json) : rest };
}

function readStrings(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error(`not a list: ${json}`);
  return value.map(String);
}

/** The variables that ENV instructions set, in order. */
export function environmentOf(instructions: readonly DockerInstruction[]): Readonly<Record<string, string>> {
  const pairs = instructions
    .filter(({ name }) => name === "ENV")
    .flatMap(({ words }) => words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
  return Object.fromEntries(pairs) as Record<string, string>;
}
