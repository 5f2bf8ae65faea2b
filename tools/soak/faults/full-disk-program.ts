import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import { runServerProgram } from "../../server-process.ts";
import { checkAfter, checkDuring, checkTraces } from "./check-answers.ts";
import { doWork, type Answer, type WorkPlace } from "./fault-work.ts";
import { layOutWork, makeFaultWorld, startServerOf } from "./fault-world.ts";

/*
 * Run in a user and mount namespace of its own (`unshare -Urm`): puts the server's data directory on a small disk, fills it
 * below the database and the index, frees it, takes the server's descriptors away and gives them back, and starts the server
 * on a disk that is read-only. Prints what it found as one line of JSON.
 */

const DISK_MEGABYTES = 640;
const RECOVERS_WITHIN_MS = 60_000;
/** Rounds of work on the full disk: the first ones may still find room in files that the database has already. */
const FULL_ROUNDS = 2;
/** Fewer than the server has open already. */
const FEW_DESCRIPTORS = 24;

const [home = "", rounds = "1"] = process.argv.slice(2);
const disk = path.join(home, "disk");
const violations: string[] = [];
const figures: Record<string, number> = { refused: 0, fills: 0, slowestRecoveryMs: 0 };
const given: { turn: number; answers: readonly Answer[] }[] = [];
let turn = 0;

mkdirSync(disk);
execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEGABYTES}m`, "none", disk]);
const world = await makeFaultWorld(disk);
try {
  let place = await layOutWork(world, await startServerOf(world));
  try {
    for (let round = 0; round < Number(rounds); round += 1) {
      await during("a full disk", place, fill, free);
      await during(
        "no descriptor left",
        place,
        () => limit(place, FEW_DESCRIPTORS),
        () => limit(place, 20_000),
      );
    }
  } finally {
    await place.server.stop();
  }
  await startReadOnly();
  place = await layOutWork(world, await startServerOf(world));
  try {
    for (const { turn: of, answers } of given) {
      const kept = answers.filter(({ piece }) => piece === "documents");
      violations.push(...(await checkTraces(place, of, kept)).map((line) => `after a restart: ${line}`));
    }
    violations.push(...(await verifyIndex(place)));
  } finally {
    await place.server.stop();
  }
} finally {
  await world.close();
}
process.stdout.write(`${JSON.stringify({ figures, violations })}\n`);

/** Works while the fault lasts and after it; what was acknowledged must be there, and everything work again. */
async function during(fault: string, place: WorkPlace, begin: () => void, end: () => void): Promise<void> {
  const say = (lines: readonly string[]): number => violations.push(...lines.map((line) => `${fault}: ${line}`));
  const ours: { turn: number; answers: readonly Answer[] }[] = [];
  begin();
  for (let round = 0; round < FULL_ROUNDS; round += 1) {
    turn += 1;
    const answers = await doWork(place, turn);
    figures["refused"] = (figures["refused"] ?? 0) + answers.filter(({ status }) => status >= 400).length;
    say(checkDuring(answers));
    ours.push({ turn, answers });
  }
  end();
  const freedAt = performance.now();
  for (;;) {
    turn += 1;
    const answers = await doWork(place, turn);
    const wrong = checkAfter(answers);
    if (wrong.length === 0) {
      ours.push({ turn, answers });
      break;
    }
    if (performance.now() - freedAt > RECOVERS_WITHIN_MS || place.server.exitCode() !== null) {
      say([...wrong, `the server said: ${place.server.stderr().slice(-3_000)}`]);
      break;
    }
    await sleep(500);
  }
  figures["slowestRecoveryMs"] = Math.max(figures["slowestRecoveryMs"] ?? 0, Math.round(performance.now() - freedAt));
  for (const { turn: of, answers } of ours) {
    const kept = answers.filter(({ piece }) => piece !== "edit"); // later turns wrote the same file
    say(await checkTraces(place, of, kept));
  }
  given.push(...ours);
}

function ballast(): string {
  return path.join(disk, "ballast");
}

/** Leaves no block free. */
function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  figures["fills"] = (figures["fills"] ?? 0) + 1;
  execFileSync("fallocate", ["-l", String(bavail * bsize), ballast()]);
}

function free(): void {
  rmSync(ballast());
}

/** How many files the server may have open, from now on. */
function limit(place: WorkPlace, files: number): void {
  if (place.server.exitCode() !== null) return; // told below
  execFileSync("prlimit", ["--pid", String(place.server.pid), `--nofile=${files}:`]);
}

/** A read-only disk refuses the start in a sentence, and nothing on it changes. */
async function startReadOnly(): Promise<void> {
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const { code, stderr } = await runServerProgram(world.dataDirectory, world.settings);
  if (code !== 1 || !/read-only/.test(stderr) || /\n\s+at /.test(stderr)) {
    violations.push(`a start on a read-only disk ended ${code}: ${stderr.slice(0, 500)}`);
  }
  execFileSync("mount", ["-o", "remount,rw", disk]);
}

/** The index says the same as the store. */
async function verifyIndex({ server }: WorkPlace): Promise<readonly string[]> {
  const begun = (await server.call("POST", "/quarry/v1/index/verify")).body as { readonly id: string };
  for (const end = performance.now() + RECOVERS_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", `/quarry/v1/index/tasks/${begun.id}`);
    const { status } = body as { readonly status: string };
    if (status === "done") return [];
    if (status === "failed") return [`the index cannot be verified: ${JSON.stringify(body)}`];
    await sleep(200);
  }
  return ["the index was not verified in time"];
}
