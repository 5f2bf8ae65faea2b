import { findServer } from "../server-file.ts";
import type { Check, Finding } from "./check.ts";

/** Whether a server runs on the data directory, and whether it is of our version. */
export const checkServer: Check = async ({ config, version, signal }) => [
  await lookAtServer(config.dataDir, version, signal),
];

async function lookAtServer(dataDirectory: string, version: string, signal: AbortSignal): Promise<Finding> {
  const check = "server";
  const state = await findServer(dataDirectory, signal);
  switch (state.kind) {
    case "absent":
      return { check, status: "info", detail: "not running; commands start one when they need it" };
    case "gone":
      return { check, status: "info", detail: `not running; process ${state.file.pid} ended without a stop` };
    case "damaged":
      return {
        check,
        status: "warn",
        detail: `${state.filePath} was not written by a server`,
        fix: "delete it",
      };
    case "silent":
      return {
        check,
        status: "fail",
        detail: `process ${state.file.pid} lives but ${state.file.url} does not answer`,
        fix: `look at the server's log; when that process is not Quarry, delete server.json in ${dataDirectory}`,
      };
    case "running":
      if (state.file.version === version) {
        return {
          check,
          status: "ok",
          detail: `version ${version} runs at ${state.file.url}, process ${state.file.pid}`,
        };
      }
      return {
        check,
        status: "warn",
        detail: `version ${state.file.version} runs at ${state.file.url}, this CLI is ${version}`,
        fix: "restart it: quarry stop, then quarry serve",
      };
  }
}
