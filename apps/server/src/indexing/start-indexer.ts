import { fork, type ChildProcess } from "node:child_process";
import type { Logger } from "pino";
import type { FromIndexer, IndexerSettings, IndexerState, ToIndexer } from "./indexer-messages.ts";

/** The indexing process, kept alive. */
export interface Indexer {
  readonly state: () => IndexerState;
  /** Lets it finish what it writes; ends it when that takes long. */
  readonly stop: () => Promise<void>;
}

/** What starting it needs. */
export interface IndexerOptions {
  /** The bundled `indexer.ts`. */
  readonly program: string;
  readonly settings: IndexerSettings;
  /** This process's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** The index has pages it had not. */
  readonly onWrote: () => void;
}

const STOP_WITHIN_MS = 2_000;
const FIRST_RESTART_MS = 200;
const LAST_RESTART_MS = 5_000;
/**
 * The C library keeps what is freed, for each thread by itself: after a table was built, hundreds of megabytes that the
 * process has no use for. With these it gives back what is large, and threads share. Only a start can set them.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "262144" };
const STARTING: IndexerState = { phase: "starting", pagesIndexed: 0, pagesEmbedded: 0, passagesEmbedded: 0 };

/** Starts the process that writes the index, and starts it again whenever it ends by itself. */
export function startIndexer({ program, settings, environment, logger, onWrote }: IndexerOptions): Indexer {
  let state = STARTING;
  let child: ChildProcess;
  let timer: NodeJS.Timeout | undefined;
  let restartMs = FIRST_RESTART_MS;
  let isStopping = false;

  const start = (): void => {
    child = fork(program, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
      execArgv: [],
      env: { ...ALLOCATOR, ...environment },
    });
    const startLater = (how: object): void => {
      if (isStopping) return;
      state = STARTING;
      logger.warn({ ...how, restartMs }, "the indexing process ended; it is started again");
      clearTimeout(timer);
      timer = setTimeout(start, restartMs);
      restartMs = Math.min(restartMs * 2, LAST_RESTART_MS);
    };
    child.on("error", (error) => {
      logger.error({ err: error }, "the indexing process");
      if (child.pid === undefined) startLater({ code: null, signal: null }); // one that never began does not exit
    });
    child.on("message", (message: FromIndexer) => {
      if (message.kind === "wrote") onWrote();
      else if (message.kind === "trouble") logger.warn({ where: message.where }, `the indexer: ${message.message}`);
      else {
        state = message.state;
        if (state.phase === "writing") restartMs = FIRST_RESTART_MS;
      }
    });
    child.on("exit", (code, signal) => startLater({ code, signal }));
    send(child, { kind: "start", settings });
  };
  start();

  return {
    state: () => state,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once("exit", resolve));
      send(child, { kind: "stop" });
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

/** A process that has just ended cannot be told anything, and need not be. */
function send(child: ChildProcess, message: ToIndexer): void {
  if (child.connected) child.send(message, () => undefined);
}
