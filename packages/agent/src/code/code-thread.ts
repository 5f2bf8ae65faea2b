import { serveThread } from "@quarry/base";
import { runCodeTask, type CodeTask } from "./code-thread-task.ts";

// The entry of the threads that read code for the index and answer about TypeScript.
serveThread(async (input) => ({ output: await runCodeTask(input as CodeTask), transfer: [] }));
