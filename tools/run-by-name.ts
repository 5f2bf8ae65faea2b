import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { printTable, type Table } from "./eval/print-table.ts";

/** What the command line said, by the option's name. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** An option of one program, beside `--only`, `--out` and `--list`, which all take. */
export interface ProgramOption {
  /** What stands for its value in the usage line; a switch has none. */
  readonly value?: string;
  readonly default?: string;
  readonly accepts?: (value: string) => boolean;
}

/** What is kept of one run: tables for people, a record for programs. */
export interface KeptRun {
  readonly tables: readonly Table[];
  /** The name of its file, without `.json`. */
  readonly file: string;
  readonly record: object;
}

/** A program that runs what it is told by name: `npm run bench`, `eval` and `soak`. */
export interface NamedProgram<Run extends { readonly name: string }> {
  readonly command: string;
  readonly runs: readonly Run[];
  readonly options: Readonly<Record<string, ProgramOption>>;
  readonly perform: (run: Run, values: OptionValues) => Promise<KeptRun>;
}

/**
 * Runs those that the command line names, or all; prints their tables and writes each one's record below `--out`. What is
 * not understood is answered with the usage line and exit code 2, before anything runs.
 */
export async function runByName<Run extends { readonly name: string }>(program: NamedProgram<Run>): Promise<void> {
  const names = program.runs.map(({ name }) => name);
  const asked = readCommandLine(program, process.argv.slice(2));
  if (asked.kind === "wrong") {
    process.stderr.write(`${asked.fault}\n${usageOf(program)}; there are: ${names.join(", ")}\n`);
    process.exitCode = 2;
    return;
  }
  if (asked.values["list"] === true) {
    process.stdout.write(`${names.join("\n")}\n`);
    return;
  }
  const out = String(asked.values["out"]);
  mkdirSync(out, { recursive: true });
  for (const run of asked.runs) {
    const { tables, file, record } = await program.perform(run, asked.values);
    for (const table of tables) printTable(table);
    const at = path.join(out, `${file}.json`);
    writeFileSync(at, `${JSON.stringify({ ...record, at: new Date().toISOString() }, undefined, 2)}\n`);
    process.stdout.write(`wrote ${at}\n`);
  }
}

/** Whether a text is a fraction of the full size. */
export function isSize(text: string): boolean {
  return Number(text) > 0 && Number(text) <= 1;
}

type Asked<Run> =
  | { readonly kind: "understood"; readonly runs: readonly Run[]; readonly values: OptionValues }
  | { readonly kind: "wrong"; readonly fault: string };

/** Reads a command line; exported for its test. */
export function readCommandLine<Run extends { readonly name: string }>(
  { command, runs, options }: Pick<NamedProgram<Run>, "command" | "runs" | "options">,
  args: readonly string[],
): Asked<Run> {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        only: { type: "string", multiple: true },
        out: { type: "string", default: `${command}-results` },
        list: { type: "boolean" },
        ...Object.fromEntries(Object.entries(options).map(([name, option]) => [name, toParsed(option)])),
      },
    });
  } catch (thrown) {
    return { kind: "wrong", fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  const { only = [], ...rest } = parsed.values as { readonly only?: readonly string[] };
  const values = rest as OptionValues;
  for (const [name, { accepts }] of Object.entries(options)) {
    const value = values[name];
    if (typeof value === "string" && accepts?.(value) === false) {
      return { kind: "wrong", fault: `--${name} cannot be ${value}` };
    }
  }
  const wanted = [...parsed.positionals, ...only].flatMap((names) => names.split(","));
  const unknown = wanted.filter((name) => !runs.some((run) => run.name === name));
  if (unknown.length > 0) return { kind: "wrong", fault: `there is no ${unknown.join(", ")}` };
  return {
    kind: "understood",
    runs: wanted.length === 0 ? runs : runs.filter(({ name }) => wanted.includes(name)),
    values,
  };
}

function toParsed(option: ProgramOption): { readonly type: "string" | "boolean"; readonly default?: string } {
  return {
    type: option.value === undefined ? "boolean" : "string",
    ...(option.default !== undefined && { default: option.default }),
  };
}

function usageOf({ command, options }: Pick<NamedProgram<{ readonly name: string }>, "command" | "options">): string {
  const own = Object.entries(options).map(([name, { value }]) =>
    value === undefined ? `[--${name}]` : `[--${name} ${value}]`,
  );
  return `usage: npm run ${command} -- [NAME…] [--only NAME[,NAME]] ${own.join(" ")} [--out DIRECTORY] [--list]`;
}
