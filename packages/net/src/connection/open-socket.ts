import { orAbort } from "@quarry/base";
import { connect, isIPv6, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** Opens a TCP connection to exactly this address; tests hand in one that leads elsewhere. */
export type OpenSocket = (address: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** A connection, and the checked address it was opened to. */
export interface OpenedSocket {
  readonly socket: Socket;
  readonly address: string;
}

/** Opens a TCP connection by Node. The address is a literal: a lookup here would be one that nobody checked. */
export const openTcp: OpenSocket = (address, port, signal) => {
  const refuseLookup = (): never => {
    throw new Error(`${address} is not an address`);
  };
  const socket = connect({ host: address, port, lookup: refuseLookup, noDelay: true, keepAlive: true });
  return whenReady(socket, "connect", signal);
};

/** More than these of one host are never tried: by then it is down. */
const MAX_ADDRESSES_TRIED = 6;
/** RFC 8305's pause before the next address is tried beside the one still pending. */
const ATTEMPT_DELAY_MS = 250;

/**
 * Connects to the first of `addresses` that answers, families taking turns,
 * each next one started when the last fails or dawdles. The losers are closed.
 */
export async function openFirst(
  open: OpenSocket,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<OpenedSocket> {
  const order = takeTurns(addresses).slice(0, MAX_ADDRESSES_TRIED);
  const [only] = order;
  if (only !== undefined && order.length === 1)
    return { socket: await openOrAbort(open, only, port, signal), address: only };

  const race = new AbortController();
  const attempts: Promise<OpenedSocket>[] = [];
  let winner: OpenedSocket | undefined;
  const raceSignal = AbortSignal.any([signal, race.signal]);
  const attempt = async (address: string): Promise<OpenedSocket> => {
    const socket = await openOrAbort(open, address, port, raceSignal);
    if (winner !== undefined) {
      socket.destroy();
      throw new Error("another address was faster");
    }
    winner = { socket, address };
    return winner;
  };
  try {
    for (const address of order) {
      const latest = attempt(address);
      attempts.push(latest);
      await settledWithin([latest, Promise.any(attempts)], ATTEMPT_DELAY_MS);
      if (hasEnded(winner, raceSignal)) break;
    }
    return await Promise.any(attempts);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof AggregateError ? (cause.errors[0] as Error) : cause;
  } finally {
    race.abort(new Error("another address was faster"));
  }
}

/** Stops waiting on abort; a connection that comes too late is closed. */
async function openOrAbort(open: OpenSocket, address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const opening = open(address, port, signal);
  try {
    return await orAbort(opening, signal);
  } catch (thrown) {
    opening.then((late) => late.destroy(), ignore);
    throw thrown;
  }
}

/** A function, because the compiler cannot see that an attempt sets the winner meanwhile. */
function hasEnded(winner: OpenedSocket | undefined, signal: AbortSignal): boolean {
  return winner !== undefined || signal.aborted;
}

/** What the handshake must prove: that the peer is `host`, a name or an address. */
export interface TlsPeer {
  readonly host: string;
  readonly isAddress: boolean;
  readonly certificateAuthorities: readonly string[] | undefined;
}

/** Speaks TLS on an open connection; the certificate must be good for the host, whatever address was dialled. */
export function startTls(socket: Socket, peer: TlsPeer, signal: AbortSignal): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host: peer.host,
    ...(peer.isAddress ? {} : { servername: peer.host }),
    ...(peer.certificateAuthorities === undefined ? {} : { ca: [...peer.certificateAuthorities] }),
    ALPNProtocols: ["http/1.1"],
  });
  secure.once("close", () => socket.destroy());
  return whenReady(secure, "secureConnect", signal);
}

function whenReady<T extends Socket>(socket: T, event: "connect" | "secureConnect", signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      settle(signal.reason as Error); // the deadline's own controller: always an Error
    };
    const settle = (error: Error | undefined): void => {
      signal.removeEventListener("abort", stop);
      socket.off(event, ready).off("close", gone).off("error", settle);
      socket.on("error", () => undefined); // from here on the reader of the socket sees its end
      if (error === undefined) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    };
    const ready = (): void => {
      settle(undefined);
    };
    const gone = (): void => {
      settle(new Error("the connection was closed before it was ready"));
    };
    socket.once(event, ready).once("close", gone).once("error", settle);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** Waits until one of the attempts has an end, good or bad, or the time is over. */
async function settledWithin(attempts: readonly Promise<unknown>[], milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([...attempts.map((attempt) => attempt.then(ignore, ignore)), pause]);
  clearTimeout(timer);
}

function ignore(): undefined {
  return undefined;
}

function takeTurns(addresses: readonly string[]): readonly string[] {
  const first = addresses.filter((address) => isIPv6(address) === isIPv6(addresses[0] ?? ""));
  const second = addresses.filter((address) => !first.includes(address));
  return first
    .flatMap((address, index) => [address, ...second.slice(index, index + 1)])
    .concat(second.slice(first.length));
}
