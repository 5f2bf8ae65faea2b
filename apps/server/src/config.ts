import { readFileSync } from "node:fs";
import path from "node:path";
import { CONFIG_FILE_NAME, loadConfig, type Config } from "@quarry/config";
import { readObjectStorage } from "./object-storage.ts";
import type { TracingSettings } from "./tracing.ts";

/** What the surroundings say: the settings, where spans go, and whether a person reads along. */
export interface Surroundings {
  readonly config: Config;
  /** Where the configuration file is, or would be. */
  readonly configFile: string;
  readonly tracing: TracingSettings;
  readonly isTerminal: boolean;
  /** How object storage is reached, for whatever the settings put there. */
  readonly objectStorage: Readonly<Record<string, string>>;
  /** The directories in which programs are looked for. */
  readonly searchPath: readonly string[];
  /** What programs that tools start may know a part of. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads the environment; the only place of the server that does. Throws one error that lists every wrong setting. */
export function readSurroundings(): Surroundings {
  const { env } = process;
  const config = loadConfig({ env, cwd: process.cwd(), readFile: (file) => readFileSync(file, "utf8") });
  const everything = env["OTEL_EXPORTER_OTLP_ENDPOINT"]?.replace(/(?<!\/)\/+$/, "");
  return {
    config,
    configFile: path.join(process.cwd(), CONFIG_FILE_NAME),
    tracing: {
      tracesUrl:
        env["OTEL_SDK_DISABLED"] === "true"
          ? undefined
          : (env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? (everything && `${everything}/v1/traces`)),
      serviceName: env["OTEL_SERVICE_NAME"] ?? "quarry",
    },
    objectStorage: readObjectStorage(env),
    searchPath: (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== ""),
    environment: env,
    isTerminal: process.stderr.isTTY && env["NO_COLOR"] === undefined,
  };
}
