import type { CommandShape } from "./command-shape.ts";
import { listMoves, listValueFlags } from "./moves.ts";

/** A script that, sourced by bash, completes `quarry`. */
export function renderBashScript(shapes: readonly CommandShape[]): string {
  const moves = listMoves(shapes).map(({ from, word, to }) => `      "${from}/${word}") path="${to}" ;;`);
  const answers = shapes.map((shape) => {
    const words = [...shape.subcommands.flatMap(({ names }) => names.slice(0, 1)), ...shape.choices].join(" ");
    const flags = shape.options.flatMap((option) => option.flags).join(" ");
    const files = shape.takesFile ? " files=1" : "";
    return `    "${shape.path}") words="${words}" flags="${flags}"${files} ;;`;
  });
  return `# bash completion for quarry: source <(quarry completion bash)
_quarry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" flags="" files="" word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      ${listValueFlags(shapes).join("|")}) index=$((index + 1)); continue ;;
      -*) continue ;;
    esac
    case "$path/$word" in
${moves.join("\n")}
    esac
  done
  # The value of an option: nothing to offer.
  if ((index > COMP_CWORD)); then return; fi
  case "$path" in
${answers.join("\n")}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current")) || true
  else
    COMPREPLY=($(compgen -W "$words" -- "$current")) || true
    if [[ -n $files ]]; then
      local IFS=$'\\n'
      COMPREPLY+=($(compgen -f -- "$current")) || true
    fi
  fi
}
complete -o filenames -F _quarry quarry
`;
}
