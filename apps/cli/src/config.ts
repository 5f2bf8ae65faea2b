import { readFileSync } from "node:fs";
import { loadConfig } from "@quarry/config";
import type { CliContext } from "./cli-context.ts";

/** The CLI's environment and settings; the only place of the CLI that reads `process.env`. */
export function readSurroundings(): Pick<CliContext, "environment" | "cwd" | "readConfig"> {
  const environment = process.env;
  const cwd = process.cwd();
  return {
    environment,
    cwd,
    readConfig: () => loadConfig({ env: environment, cwd, readFile: (filePath) => readFileSync(filePath, "utf8") }),
  };
}
