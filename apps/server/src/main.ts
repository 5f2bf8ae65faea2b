import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AppError } from "@quarry/base";
import type { Logger } from "pino";
import { renderBanner } from "./banner.ts";
import { readSurroundings, type Surroundings } from "./config.ts";
import { killOnlyChildren } from "./kill-only-children.ts";
import { createLogger } from "./logger.ts";
import { restoreBackup } from "./restore-backup.ts";
import { sayWhy } from "./say-why.ts";
import { readVersion } from "./read-version.ts";
import { startServer, type RunningServer } from "./start-server.ts";
import { startTracing } from "./tracing.ts";

const bundleDirectory = path.dirname(fileURLToPath(import.meta.url));

/** A stop that has not ended by then is not going to. */
const STOP_LIMIT_MS = 9_500;
const HEARTBEAT_MS = 1_000;

await main();

async function main(): Promise<void> {
  killOnlyChildren();
  const surroundings = readOrExit();
  const { config, configFile, tracing, isTerminal, searchPath, environment, objectStorage } = surroundings;
  const logger = createLogger({ level: config.logLevel, isTerminal });
  // Starting and stopping wait for things that do not keep Node alive by themselves, the database's process above all:
  // without this, Node could leave in the middle of either.
  const alive = setInterval(() => undefined, HEARTBEAT_MS);
  const { values } = parseArgs({ options: { restore: { type: "string" } }, strict: false });
  if (typeof values.restore === "string") {
    await restore(values.restore, surroundings, logger);
    clearInterval(alive);
    return;
  }
  const stopTracing = await startTracing(tracing);
  let server: RunningServer;
  try {
    const version = readVersion(bundleDirectory);
    const places = { searchPath, environment, objectStorage, bundleDirectory };
    server = await startServer({ config, configFile, logger, version, ...places });
  } catch (error) {
    exitWith(error, `Quarry cannot start: ${sayWhy(error)}`);
  }
  process.stdout.write(renderBanner(server.report));

  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) process.exit(1); // asked twice: the person means it
    isStopping = true;
    logger.info({ signal }, "stopping");
    setTimeout(() => {
      logger.error("the stop took too long; leaving");
      process.exit(1);
    }, STOP_LIMIT_MS).unref();
    void server
      .stop()
      .then(stopTracing)
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, "the stop failed");
          process.exit(1);
        },
      );
  };
  // A closed terminal (SIGHUP) is a wish to stop too.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop(signal));
}

async function restore(
  file: string,
  { config, objectStorage }: Pick<Surroundings, "config" | "objectStorage">,
  logger: Logger,
): Promise<void> {
  try {
    const { rows, createdAt } = await restoreBackup(file, { config, logger, bundleDirectory, objectStorage });
    const count = Object.values(rows).reduce((sum, part) => sum + part, 0);
    process.stdout.write(`Restored ${count} rows of the backup made ${createdAt.toISOString()}.\n`);
  } catch (error) {
    exitWith(error, `The backup was not restored: ${sayWhy(error)}`);
  }
}

function readOrExit(): Surroundings {
  try {
    return readSurroundings();
  } catch (error) {
    exitWith(error, sayWhy(error));
  }
}

/** Settings that cannot be used end with 2, as wrong usage does; all else with 1. */
function exitWith(error: unknown, sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(error instanceof AppError && error.code === "invalid_request" ? 2 : 1);
}
