import { orAbort } from "@quarry/base";
import { isIP } from "node:net";
import { stopOrRethrow, type DialStage } from "../failure.ts";
import type { Guard, Target } from "../guard/guard.ts";
import type { DialStop } from "../outcome.ts";
import { openFirst, startTls, type OpenedSocket, type OpenSocket } from "./open-socket.ts";
import type { ResolveHost } from "./resolve-host.ts";

/** What it takes to open a connection. */
export interface OpenDeps {
  readonly guard: Guard;
  readonly resolve: ResolveHost;
  readonly openSocket: OpenSocket;
  readonly certificateAuthorities: readonly string[] | undefined;
}

/** A connection to an address that the guard cleared for this target. */
export interface CheckedSocket extends OpenedSocket {
  readonly kind: "opened";
}

/**
 * Resolves the host once, has every address judged, and connects to one of
 * exactly those. With `tls` the certificate must name the host of the URL.
 */
export async function openChecked(
  deps: OpenDeps,
  target: Target,
  options: { readonly tls: boolean; readonly signal: AbortSignal },
): Promise<CheckedSocket | DialStop> {
  const { host, port, url } = target;
  const { signal } = options;
  const isAddress = isIP(host) !== 0;
  let stage: DialStage = "dns";
  try {
    const addresses = isAddress ? [host] : await orAbort(deps.resolve(host, signal), signal);
    const verdict = deps.guard.judgeAddresses(target, addresses);
    if (verdict.kind !== "cleared") return verdict;
    stage = "connect";
    const opened = await openFirst(deps.openSocket, verdict.addresses, port, signal);
    if (!options.tls) return { kind: "opened", ...opened };
    stage = "tls";
    const peer = { host, isAddress, certificateAuthorities: deps.certificateAuthorities };
    const socket = await startTls(opened.socket, peer, signal);
    return { kind: "opened", socket, address: opened.address };
  } catch (thrown) {
    return stopOrRethrow(thrown, url.href, stage, signal);
  }
}
