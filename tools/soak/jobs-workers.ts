import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { sleep } from "@quarry/base";
import type { DatabaseAddress } from "@quarry/store";
import type { Random } from "./random.ts";

/** Worker processes that are killed and replaced. */
export interface WorkerCrew {
  /** Resolves when one of them takes jobs. */
  readonly untilAtWork: () => Promise<void>;
  /** Ends one with SIGKILL, mostly one at work, now and then one that only starts, and puts another in its place. */
  readonly killOne: () => Promise<void>;
  /** Asks one at random to stop, and starts another in its place. */
  readonly stopOne: () => Promise<void>;
  /** Ends all, for good. */
  readonly dismiss: () => Promise<void>;
}

/** Starts `size` workers from the bundled program. */
export function startWorkers(options: {
  readonly program: string;
  readonly address: DatabaseAddress;
  readonly leaseMs: number;
  readonly size: number;
  readonly random: Random;
  readonly onFailure: (sentence: string) => void;
}): WorkerCrew {
  const workers = new Set<ChildProcess>();
  const atWork = new Set<ChildProcess>();
  let hired = 0;

  const hire = (): void => {
    hired += 1;
    const settings = { address: options.address, workerId: `worker-${hired}`, leaseMs: options.leaseMs };
    // The pipe on standard input ends with us, and the worker with it.
    const worker = spawn(process.execPath, ["--enable-source-maps", options.program, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    worker.stdout.once("data", () => workers.has(worker) && atWork.add(worker));
    worker.once("exit", (code, signal) => {
      if (!workers.delete(worker)) return; // ended by us
      atWork.delete(worker);
      options.onFailure(`worker ${settings.workerId} ended by itself (${code ?? signal})`);
      hire();
    });
    workers.add(worker);
  };

  const end = async (worker: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    workers.delete(worker);
    atWork.delete(worker);
    const exited = once(worker, "exit");
    worker.kill(signal);
    await exited;
  };
  for (let count = 0; count < options.size; count += 1) hire();

  return {
    untilAtWork: async () => {
      while (atWork.size === 0) await sleep(10);
    },
    killOne: async () => {
      const candidates = options.random.chance(0.9) && atWork.size > 0 ? atWork : workers;
      await end(options.random.pick([...candidates]), "SIGKILL");
      hire();
    },
    stopOne: async () => {
      await end(options.random.pick([...workers]), "SIGTERM");
      hire();
    },
    dismiss: async () => {
      await Promise.all([...workers].map((worker) => end(worker, "SIGKILL")));
    },
  };
}
