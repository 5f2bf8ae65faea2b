import http from "node:http";
import https from "node:https";

const TIMEOUT_MS = 20_000;

/**
 * Posts a delivery to a program of the person's own and returns its status, or the reason why there is none. Goes out
 * by `node:http` rather than the guarded dialer: the address is the operator's own word. Rejects only on abort.
 */
export function forwardDelivery(
  url: URL,
  delivery: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...delivery.headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(delivery.body),
    };
    const request = (url.protocol === "https:" ? https : http).request(
      url,
      { method: "POST", headers, signal, timeout: TIMEOUT_MS, agent: false },
      (reply) => {
        reply.on("error", () => undefined); // the status is all we show
        reply.resume();
        resolve(reply.statusCode ?? 0);
      },
    );
    request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on("error", (error) => (signal.aborted ? reject(error) : resolve(error.message)));
    request.end(delivery.body);
  });
}
