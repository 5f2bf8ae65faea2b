import type { CommandShape } from "./command-shape.ts";
import { listMoves, listValueFlags } from "./moves.ts";

/** A script that completes `quarry` in fish. */
export function renderFishScript(shapes: readonly CommandShape[]): string {
  const moves = listMoves(shapes).flatMap(({ from, word, to }) => [
    `      case "${from}/${word}"`,
    `        set place "${to}"`,
  ]);
  return `# fish completion for quarry: quarry completion fish | source
function __quarry_at
  set -l place ""
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$word"
      case ${listValueFlags(shapes).join(" ")}
        set skip 1
        continue
      case "-*"
        continue
    end
    switch "$place/$word"
${moves.join("\n")}
    end
  end
  test "$place" = "$argv[1]"
end
complete -c quarry -f
${shapes.flatMap(renderShape).join("\n")}
`;
}

function renderShape(shape: CommandShape): string[] {
  const start = `complete -c quarry -n '__quarry_at "${shape.path}"'`;
  return [
    ...shape.subcommands.map(({ names, description }) => `${start} -a ${names[0] ?? ""} -d ${quote(description)}`),
    ...shape.choices.map((choice) => `${start} -a ${choice}`),
    ...(shape.takesFile ? [`${start} -F`] : []),
    ...shape.options.map((option) => {
      const names = option.flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      return [start, ...names, ...(option.takesValue ? ["-x"] : []), "-d", quote(option.description)].join(" ");
    }),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
