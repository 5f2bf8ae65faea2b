import { userInfo } from "node:os";
import path from "node:path";

/** What of this process's own environment a command may know. */
const PASSED_ON = /^(PATH|LANG|LC_[A-Z]+|TZ)$/;
const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The environment of a command: where programs are, who it runs as, and what keeps
 * programs from paging, asking and colouring. Nothing else of the server's gets in, its
 * keys least of all. Caches go to the temporary directory, where they can be written.
 */
export function commandEnvironment(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly tmp: string;
  /** Name and value by which every process of the command is found again. */
  readonly mark: readonly [name: string, value: string];
}): Readonly<Record<string, string>> {
  const passed = Object.entries(options.environment).flatMap(([name, value]) =>
    value === undefined || !PASSED_ON.test(name) ? [] : [[name, value] as const],
  );
  const { username } = userInfo();
  const given = Object.fromEntries(passed);
  return {
    LANG: "C.UTF-8",
    ...given,
    // The Node that runs the server is there although it may not be on the path.
    PATH: `${given["PATH"] ?? FALLBACK_PATH}:${path.dirname(process.execPath)}`,
    HOME: options.home,
    USER: username,
    LOGNAME: username,
    SHELL: "/bin/bash",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    MANPAGER: "cat",
    SYSTEMD_PAGER: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
    EDITOR: "true",
    DEBIAN_FRONTEND: "noninteractive",
    PIP_NO_INPUT: "1",
    npm_config_yes: "true",
    npm_config_cache: path.join(options.tmp, "npm-cache"),
    PIP_CACHE_DIR: path.join(options.tmp, "pip-cache"),
    XDG_CACHE_HOME: path.join(options.tmp, "cache"),
    TMPDIR: options.tmp,
    [options.mark[0]]: options.mark[1],
  };
}
