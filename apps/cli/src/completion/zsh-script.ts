import type { CommandShape } from "./command-shape.ts";
import { listMoves, listValueFlags } from "./moves.ts";

/** A script that completes `quarry` in zsh, sourced or put in `fpath` as `_quarry`. */
export function renderZshScript(shapes: readonly CommandShape[]): string {
  const moves = listMoves(shapes).map(({ from, word, to }) => `      "${from}/${word}") place="${to}" ;;`);
  const answers = shapes.map((shape) => {
    const words = [
      ...shape.subcommands.map(({ names, description }) => describe(names[0] ?? "", description)),
      ...shape.choices.map((choice) => describe(choice, "")),
    ];
    const flags = shape.options.flatMap((option) => option.flags.map((flag) => describe(flag, option.description)));
    const files = shape.takesFile ? "; files=1" : "";
    return `    "${shape.path}") words_here=(${words.join(" ")}); flags_here=(${flags.join(" ")})${files} ;;`;
  });
  return `#compdef quarry
# zsh completion for quarry: source <(quarry completion zsh)
_quarry() {
  local place="" word files="" index=2
  local -a words_here flags_here
  while ((index < CURRENT)); do
    word="\${words[index]}"
    index=$((index + 1))
    case "$word" in
      ${listValueFlags(shapes).join("|")}) index=$((index + 1)); continue ;;
      -*) continue ;;
    esac
    case "$place/$word" in
${moves.join("\n")}
    esac
  done
  # The value of an option: nothing to offer.
  if ((index > CURRENT)); then return 1; fi
  case "$place" in
${answers.join("\n")}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe option flags_here
  else
    ((\${#words_here})) && _describe command words_here
    [[ -n "$files" ]] && _files
  fi
}
if [[ "\${funcstack[1]}" == _quarry ]]; then _quarry "$@"; else compdef _quarry quarry; fi
`;
}

/** `_describe` splits at the first colon, and the whole is a quoted word. */
function describe(word: string, description: string): string {
  const text = description === "" ? word : `${word.replaceAll(":", "\\:")}:${description}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
