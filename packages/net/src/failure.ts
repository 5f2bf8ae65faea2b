import { DialTimeoutError } from "./deadline.ts";
import { failed, refused, type DialStop, type FailureReason } from "./outcome.ts";

/** Thrown into whatever still runs when the dialer is closed. */
export class DialerClosedError extends Error {
  constructor() {
    super("the dialer was closed");
    this.name = "DialerClosedError";
  }
}

/** How far a dial had come when something was thrown. */
export type DialStage = "dns" | "connect" | "tls" | "reply";

/**
 * Turns what was thrown under `signal`, a deadline's, into an outcome. When the
 * caller aborted there is none: the caller's reason is thrown.
 */
export function stopOrRethrow(thrown: unknown, url: string, stage: DialStage, signal: AbortSignal): DialStop {
  const reason: unknown = signal.aborted ? signal.reason : thrown;
  const isOurs = reason instanceof DialTimeoutError || reason instanceof DialerClosedError;
  if (signal.aborted && !isOurs) throw reason;
  return stopFor(reason, url, stage);
}

function stopFor(thrown: unknown, url: string, stage: DialStage): DialStop {
  const host = new URL(url).host;
  if (thrown instanceof DialTimeoutError)
    return failed("timeout", url, `${host}: ${thrown.message}`, { cause: thrown });
  if (thrown instanceof DialerClosedError)
    return failed("closed", url, `${host}: ${thrown.message}`, { cause: thrown });
  const code = codeOf(thrown);
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return refused("headers-too-large", url, `${host} sent more header bytes than maxHeaderBytes allows`);
  }
  const reason = reasonOf(thrown, stage);
  const options = code === "ENOTFOUND" || code === "ENODATA" ? { cause: thrown, retryable: false } : { cause: thrown };
  return failed(reason, url, `${host} ${SENTENCES[reason]}${code === "" ? "" : ` (${code})`}`, options);
}

const SENTENCES: Readonly<Record<FailureReason, string>> = {
  dns: "could not be resolved",
  connect: "could not be reached",
  tls: "offered no TLS connection we can trust",
  timeout: "took too long",
  protocol: "sent something that is not HTTP",
  reset: "closed the connection before its reply was complete",
  decode: "sent a body that does not decode",
  closed: "was given up",
};

function reasonOf(thrown: unknown, stage: DialStage): FailureReason {
  if (stage !== "reply") return stage;
  // undici leaves out the parser's code; an end in the middle of a message is not bad HTTP but a broken connection
  const isParserError = thrown instanceof Error && thrown.name === "HTTPParserError";
  return isParserError && !thrown.message.includes("EOF") ? "protocol" : "reset";
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}
