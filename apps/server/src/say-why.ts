import { AppError, storageFaultOf } from "@quarry/base";

/** What to do about a listener that did not come to be, by the system's code. */
const LISTEN_FAILURES: ReadonlyMap<unknown, readonly [what: string, remedy: string]> = new Map([
  ["EADDRINUSE", ["the port is taken", "stop what listens there, or set QUARRY_PORT"]],
  ["EACCES", ["this user may not listen there", "set QUARRY_PORT to a port above 1023"]],
  ["EADDRNOTAVAIL", ["this machine has no such address", "set QUARRY_HOST to one of its own"]],
  ["ENOTFOUND", ["the host to listen on has no address", "set QUARRY_HOST to an address of this machine"]],
  ["EAI_AGAIN", ["the host to listen on cannot be looked up now", "set QUARRY_HOST to an address of this machine"]],
]);

/** Why a start failed, for the person at the terminal; the stack only of what nobody foresaw. */
export function sayWhy(error: unknown): string {
  if (error instanceof AppError && error.code !== "internal") return error.message;
  if (!(error instanceof Error)) return String(error);
  if (storageFaultOf(error) !== undefined) return `${AppError.from(error).message} (${error.message})`;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const known = syscall === "listen" || syscall === "getaddrinfo" ? LISTEN_FAILURES.get(code) : undefined;
  return known === undefined ? (error.stack ?? error.message) : `${known[0]} (${error.message}): ${known[1]}`;
}
