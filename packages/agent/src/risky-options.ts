import path from "node:path";

/**
 * Options by which a program that looks harmless runs another program, reads its orders
 * from elsewhere or writes where it is told. A rule about the program's name does not
 * speak for them. Each is compared with the whole word, with the part before `=`, and for
 * short options also with clusters.
 */
const RISKY: Readonly<Record<string, readonly string[]>> = {
  git: [
    "-c",
    "--exec-path",
    "--config-env",
    "--upload-pack",
    "--receive-pack",
    "-u",
    "--exec",
    "-x",
    "--output",
    "-O",
    "--open-files-in-pager",
    "--ext-diff",
    "--textconv",
    "--extcmd",
    "-o",
    "--output-directory",
    "--git-dir",
    "--work-tree",
    "-C",
    "--template",
    "--separate-git-dir",
    "--paginate",
    "-p",
    "--edit-description",
    "--show-signature",
  ],
  sort: ["-o", "--output", "--compress-program", "-T", "--temporary-directory"],
  uniq: [],
  tar: [
    "--to-command",
    "--checkpoint-action",
    "--checkpoint",
    "-I",
    "--use-compress-program",
    "--rsh-command",
    "-F",
    "--info-script",
    "--new-volume-script",
    "--rmt-command",
    "-P",
    "--absolute-names",
  ],
  rg: ["--pre", "--pre-glob", "--hostname-bin", "-z", "--search-zip"],
  fd: ["-x", "--exec", "-X", "--exec-batch"],
  less: ["-o", "-O", "--log-file", "--LOG-FILE", "-k", "--lesskey-file", "--lesskey-src", "-T"],
  more: [],
  man: ["-P", "--pager", "-H", "--html", "-C", "--config-file", "-K"],
  split: ["--filter"],
  rsync: ["-e", "--rsh", "--rsync-path"],
  scp: ["-S", "-o", "-F", "-D"],
  sftp: ["-S", "-o", "-F", "-D", "-b"],
  curl: [
    "-o",
    "--output",
    "-O",
    "--remote-name",
    "-K",
    "--config",
    "--output-dir",
    "-D",
    "--dump-header",
    "-c",
    "--cookie-jar",
    "--libcurl",
    "--trace",
    "--trace-ascii",
    "--stderr",
    "-T",
    "--upload-file",
    "--engine",
    "--remote-name-all",
  ],
  wget: [
    "--use-askpass",
    "-O",
    "--output-document",
    "-o",
    "--output-file",
    "-a",
    "--append-output",
    "-P",
    "--directory-prefix",
    "--config",
    "-e",
    "--execute",
    "--post-file",
    "--body-file",
  ],
  zip: ["-T", "-TT", "--unzip-command"],
  unzip: [],
  npm: [
    "--script-shell",
    "--prefix",
    "-C",
    "--userconfig",
    "--globalconfig",
    "--node-options",
    "--git",
    "--shell",
    "--editor",
    "--viewer",
  ],
  yarn: ["--cwd", "--use-yarnrc", "--script-shell"],
  pnpm: ["-C", "--dir", "--script-shell", "--shell-emulator"],
  cargo: ["--config", "-Z", "--manifest-path", "-C"],
  go: ["-exec", "--exec", "-toolexec", "--toolexec", "-C", "-modfile", "-overlay", "-ldflags", "-gcflags", "-vettool"],
  make: ["-f", "--file", "--makefile", "-C", "--directory", "-I", "--include-dir", "--eval", "-E"],
  gcc: ["-wrapper", "-B", "-specs", "-fplugin", "-o"],
  cc: ["-wrapper", "-B", "-specs", "-fplugin", "-o"],
  "g++": ["-wrapper", "-B", "-specs", "-fplugin", "-o"],
  clang: ["-B", "-fplugin", "-o", "-load"],
  tsc: ["--outDir", "--outFile", "--tsBuildInfoFile", "-p", "--project", "--build", "-b"],
  eslint: [
    "--rulesdir",
    "--resolve-plugins-relative-to",
    "-c",
    "--config",
    "-o",
    "--output-file",
    "--fix",
    "--parser",
    "--plugin",
    "-f",
    "--format",
  ],
  prettier: ["--write", "-w", "--config", "--plugin"],
  jest: [
    "--config",
    "-c",
    "--globalSetup",
    "--globalTeardown",
    "--setupFiles",
    "--testRunner",
    "--reporters",
    "--transform",
  ],
  vitest: ["--config", "-c", "--root", "-r", "--globalSetup", "--reporter", "--outputFile"],
  pytest: [
    "-p",
    "-c",
    "--rootdir",
    "--confcutdir",
    "-o",
    "--override-ini",
    "--basetemp",
    "--junitxml",
    "--pdbcls",
    "--import-mode",
  ],
  mypy: ["--config-file", "--python-executable", "--junit-xml", "--cache-dir"],
  ruff: ["--config", "-o", "--output-file", "--fix", "--cache-dir"],
  diff: ["--to-file", "--from-file"],
  file: ["-C", "--compile", "-m", "--magic-file"],
  date: ["-s", "--set", "-f", "--file"],
  hostname: ["-F", "--file", "-b"],
  tree: ["-o", "-R"],
  dd: [],
  jq: ["-f", "--from-file", "-L", "--rawfile", "--slurpfile"],
  yq: ["-i", "--inplace", "-s", "--split-exp"],
  ps: [],
  journalctl: ["--cursor-file", "--root", "--image"],
  ip: ["-b", "-batch", "--batch"],
  openssl: ["-engine", "-provider", "-config", "-out"],
  sqlite3: ["-cmd", "-init"],
  gdb: ["-ex", "-x", "-iex"],
  docker: ["--config", "-H", "--host", "-v", "--volume", "--privileged", "--mount"],
  kubectl: ["--kubeconfig", "--as", "--token"],
  ls: [],
  cat: [],
  echo: [],
  wc: [],
  head: [],
  tail: [],
  stat: [],
  grep: [],
  cut: [],
  tr: [],
  pwd: [],
  which: [],
  basename: [],
  dirname: [],
  du: [],
  df: [],
};

/** Words in which these programs take the name of a file to write, or an order, without an option. */
const RISKY_WORDS: Readonly<Record<string, RegExp>> = {
  dd: /^(of|if)=/,
  make: /^[A-Za-z_.]+(:|\+|\?|!)?=/,
  less: /^\+/,
  more: /^\+/,
  vi: /^[+-]/,
  vim: /^[+-]/,
  man: /^\+/,
  date: /^[^+-]/,
  git: /^(--upload-pack|--receive-pack|ext::|.*::)/,
  sqlite3: /^\./,
  rsync: /::|:/,
  hostname: /^[^-]/,
};

/** Programs for which a second or later plain word names a file that they write. */
const WRITES_SECOND: ReadonlySet<string> = new Set(["uniq"]);

/** Programs of the shell itself that evaluate what their words hold, or change what later words mean. */
const EVALUATING: ReadonlySet<string> = new Set(
  "let declare typeset local export readonly read mapfile readarray unset test [ printf getopts enable hash complete compgen compopt bind fc history set shopt coproc caller wait alias unalias command_not_found_handle pushd popd dirs suspend umask ulimit logout disown jobs fg bg kill type".split(
    " ",
  ),
);
/** Of these only the forms with an array's subscript, or the option that names a variable, evaluate anything. */
const EVALUATES_SUBSCRIPTS: ReadonlySet<string> = new Set(["test", "[", "printf", "type", "kill"]);

/** Why a rule that allows this command by its beginning does not speak for its words, also as they are written; undefined when it does. */
export function riskOf(words: readonly string[], written: readonly string[]): string | undefined {
  const [first = "", ...rest] = words;
  const program = path.basename(first);
  if (EVALUATES_SUBSCRIPTS.has(program)) {
    if (rest.some((word) => /\[/.test(word) && word !== "[" && word !== "]")) return `${program} evaluates subscripts`;
    if (program === "printf" && rest[0]?.startsWith("-v") === true) return "printf is told to set a variable";
    if ((program === "test" || program === "[") && rest.some((word) => /^-[vR]$/.test(word)))
      return `${program} looks into variables`;
  } else if (EVALUATING.has(program)) return `${program} changes what the shell does`;
  const options = RISKY[program] ?? [];
  const risky = rest.find(
    (word) => options.some((option) => isOption(word, option)) || RISKY_WORDS[program]?.test(word),
  );
  if (risky !== undefined) return `${program} is given ${risky}, which can run or write something else`;
  if (WRITES_SECOND.has(program) && rest.filter((word) => !word.startsWith("-")).length > 1)
    return `${program} is told to write a file`;
  // A pattern may expand to the name of a file that looks like an option.
  const isHarmlessName = RISKY[program]?.length === 0;
  if (!isHarmlessName && written.some((word) => /^[*?]/.test(word))) return "a pattern could become an option";
  return undefined;
}

/** `--output=x` and any beginning of it that programs take for it; `-ofile` and `-vo` for `-o`. */
function isOption(word: string, option: string): boolean {
  if (word === option || word.startsWith(`${option}=`)) return true;
  if (option.startsWith("--")) {
    const [name = ""] = word.split("=", 1);
    return name.length > MIN_ABBREVIATION && option.startsWith(name);
  }
  const isShort = /^-[A-Za-z]$/.test(option);
  return isShort && /^-[A-Za-z]/.test(word) && !word.startsWith("--") && clusterHas(word, option.charAt(1));
}

/** The shortest beginning of a long option that is taken for it. */
const MIN_ABBREVIATION = 3;

/** Whether a letter is among the options of a cluster such as `-lo`; what follows a value is not known, so all letters count. */
function clusterHas(word: string, letter: string): boolean {
  return /^-[A-Za-z]+/.exec(word)?.[0].slice(1).includes(letter) === true;
}
