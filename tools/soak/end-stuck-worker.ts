// Set up in each worker of a mutation run: a mutant may loop for ever, which no timer of the same thread would see.
import { Worker } from "node:worker_threads";

const LIFETIME_MS = 60_000;

new Worker(`setTimeout(() => process.kill(${process.pid}, "SIGKILL"), ${LIFETIME_MS})`, { eval: true }).unref();
