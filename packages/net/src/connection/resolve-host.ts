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

/** Waits for `promise`, but not past the signal. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason as Error); // the deadline's own controller: always an Error
    };
    if (signal.aborted) {
      stop();
      promise.catch(() => undefined); // nobody waits for it any more
      return;
    }
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", stop);
    });
  });
}
