import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { ServerProcess } from "../server-process.ts";
import { buildProgram } from "../soak/build-program.ts";

/** Runs `work` while another process searches by words; returns what the searches took, in milliseconds. */
export async function searchBeside(
  server: ServerProcess,
  queries: readonly string[],
  work: () => Promise<void>,
): Promise<readonly number[]> {
  const program = await buildProgram("tools/bench/search-beside-client.ts");
  const client = spawn(process.execPath, [program, server.url, server.key], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    client.stdin.write(`${JSON.stringify(queries)}\n`);
    const told = text(client.stdout);
    await work();
    client.stdin.end();
    return JSON.parse(await told) as readonly number[];
  } finally {
    client.kill();
    await rm(program, { force: true });
  }
}
