import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { shellWords } from "../repo/check-documents.ts";
import { snippetsOf } from "./documented-snippets.ts";

/**
 * Runs every `quarry` command of the documents as it is pasted, one after the other, as a person would who reads them from the
 * top: against the server of `dataDirectory`, with `site` for the example site. Those that failed, with what they said.
 */
export async function faultsOfCommands(dataDirectory: string, site: string): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "quarry-pasted-"));
  try {
    mkdirSync(path.join(folder, "home"));
    cpSync("docs", path.join(folder, "docs"), { recursive: true });
    const run = (args: readonly string[]): Promise<Run> => runCli(args, { folder, dataDirectory });
    // What a reader has from elsewhere: a dump of pages and an archive.
    for (const name of ["dump.ndjson", "pages.ndjson"]) await run(["index", "export", "-o", name]);
    for (const name of ["CC-MAIN.warc.gz", "CC-MAIN-example.warc.gz"])
      await run(["index", "export", "--format", "warc", "-o", name]);
    const faults: string[] = [];
    let webset = "no webset yet";
    for (const { file, code: command } of snippetsOf("quarry")) {
      const [program, ...rest] = shellWords(command);
      const args = (program === "npx" ? rest.slice(1) : rest).map((word) =>
        word.replace(/^https:\/\/(?:docs\.)?example\.com/, site).replace(/^WEBSET$/, webset),
      );
      // Without a terminal it asks nobody, and says so: a person would answer yes.
      const { code: exitCode, stdout, stderr } = await run(args[1] === "install" ? [...args, "--yes"] : args);
      webset = /\bwebset_\w+/.exec(stdout)?.[0] ?? webset;
      if (exitCode !== 0)
        faults.push(`${file}: ${command} ends with ${exitCode ?? "no end"}: ${stderr.trim()} ${stdout.trim()}`);
    }
    return faults;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runCli(
  args: readonly string[],
  { folder, dataDirectory }: { readonly folder: string; readonly dataDirectory: string },
): Promise<Run> {
  const child = spawn(process.execPath, [path.resolve("dist", "cli.js"), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: path.join(folder, "home"), QUARRY_DATA_DIR: dataDirectory },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: COMMAND_WITHIN_MS,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString("utf8")));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

const COMMAND_WITHIN_MS = 60_000;
