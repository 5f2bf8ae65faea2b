const UNIX_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

/**
 * The environment of PostgreSQL's programs, as an option of spawn: our own PG* and
 * LC_* variables must not steer them. Windows needs its own variables to start
 * anything, so there everything is passed on.
 */
export function postgresEnvironment(): { readonly env?: Readonly<Record<string, string>> } {
  if (process.platform === "win32") return {};
  return { env: { PATH: UNIX_PATH, LC_ALL: "C", TZ: "UTC" } };
}
