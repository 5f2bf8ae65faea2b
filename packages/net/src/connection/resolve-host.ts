import { orAbort } from "@quarry/base";
import { lookup } from "node:dns/promises";

/** All addresses of a host name, in the order to try them. Rejects when the name is unknown or nobody can say. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the operating system, so that its hosts file, search domains and name
 * service switch count. The lookup itself cannot be stopped; on abort we only
 * stop waiting for it.
 */
export const resolveBySystem: ResolveHost = async (host, signal) => {
  const found = await orAbort(lookup(host, { all: true, verbatim: true }), signal);
  return found.map((entry) => entry.address);
};
