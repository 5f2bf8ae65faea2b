import { createServer } from "node:net";
import { findServer } from "../server-file.ts";
import type { Check, Finding } from "./check.ts";

/** Whether the port can be listened on, or is our own server's. */
export const checkPort: Check = async ({ config, signal }) => {
  const { host, port, dataDir } = config;
  if (port === 0) return [{ check: "port", status: "ok", detail: "any free port is taken at the start" }];
  const state = await findServer(dataDir, signal);
  if (state.kind === "running" && Number(new URL(state.file.url).port) === port) {
    return [{ check: "port", status: "ok", detail: `${port} is held by our own server` }];
  }
  return [toFinding(host, port, await tryToListen(host, port))];
};

function toFinding(host: string, port: number, code: string | undefined): Finding {
  const check = "port";
  switch (code) {
    case undefined:
      return { check, status: "ok", detail: `${host}:${port} is free` };
    case "EADDRINUSE":
      return {
        check,
        status: "fail",
        detail: `another program listens on ${host}:${port}`,
        fix: "stop that program, or set QUARRY_PORT to another port (0 picks a free one)",
      };
    case "EACCES":
      return {
        check,
        status: "fail",
        detail: `this user may not listen on port ${port}`,
        fix: "set QUARRY_PORT to a port above 1023",
      };
    default:
      return {
        check,
        status: "fail",
        detail: `cannot listen on ${host}:${port} (${code})`,
        fix: "set QUARRY_HOST to an address of this machine, such as 127.0.0.1",
      };
  }
}

/** The code of the refusal; undefined when listening works. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: Error & { readonly code?: string }) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
