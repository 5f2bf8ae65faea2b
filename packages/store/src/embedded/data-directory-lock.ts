import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import { findProcess, identifyOurselves, type ProcessIdentity } from "./process-identity.ts";

/** Ownership of a data directory, until released or until this process ends in whatever way. */
export interface DataDirectoryLock {
  /** Tells others where the owner answers; they get it in the error that refuses them. */
  readonly announceUrl: (url: string) => Promise<void>;
  readonly release: () => Promise<void>;
}

/** What the owner of a data directory says of itself. */
export interface DataDirectoryOwner {
  readonly pid: number | undefined;
  readonly url: string | undefined;
}

const HEARTBEAT_MS = 2_000;
/** How long the heartbeat of an owner on another machine or in another container must stand still. */
const SILENCE_MS = 10_000;
const UNFINISHED_CLAIM_MS = 60_000;
const MAX_ATTEMPTS = 100;

/**
 * Makes this process the one owner of `dataDirectory`. Throws `conflict`, naming
 * the owner's process and address, when another runs, and `unavailable` when the
 * directory cannot be made or written. What a killed owner left is taken over.
 *
 * `<data>/owner.lock/` holds numbered claims, and the highest owns. A claim is
 * made by linking a finished file to the next free number, which succeeds for one
 * process only; one that is refuted (its process is gone, or it was released) is
 * never removed before a higher one exists. So numbers only grow, and a process
 * that decided on an old view of the directory finds its claim below another.
 */
export async function lockDataDirectory(dataDirectory: string): Promise<DataDirectoryLock> {
  const place = path.resolve(dataDirectory);
  try {
    return await claimDirectory(path.join(place, "owner.lock"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && UNUSABLE.has(error.code))) throw error;
    throw new AppError(
      "unavailable",
      `the data directory ${place} cannot be used (${error.message}): ` +
        "let this user write there, or set QUARRY_DATA_DIR to a directory that it may write",
      { cause: error },
    );
  }
}

/** What the system answers where this user may not write, or nobody may. */
const UNUSABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENOSPC"]);

async function claimDirectory(directory: string): Promise<DataDirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const identity = await identifyOurselves();
  const claim: Claim = { ...identity, token: randomBytes(12).toString("hex"), url: null, isReleased: false };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const highest = await readHighest(directory);
    if (highest !== undefined && (await isHeld(directory, highest))) throw heldBy(highest.claim);
    const number = (highest?.number ?? 0) + 1;
    if (!(await tryClaim(directory, number, claim))) continue;
    if ((await listNumbers(directory)).at(-1) !== number) {
      await rm(claimPath(directory, number), { force: true });
      continue;
    }
    await removeBelow(directory, number);
    return holdClaim(directory, number, claim);
  }
  throw new AppError("conflict", "the data directory is fought over by many processes: start Quarry once", {
    retryable: true,
  });
}

/** Who owns `dataDirectory` now; undefined when nobody does. */
export async function readDataDirectoryOwner(dataDirectory: string): Promise<DataDirectoryOwner | undefined> {
  const directory = path.join(path.resolve(dataDirectory), "owner.lock");
  const highest = await readHighest(directory);
  if (highest === undefined || !(await isHeld(directory, highest))) return undefined;
  return { pid: highest.claim?.pid, url: highest.claim?.url ?? undefined };
}

interface Claim extends ProcessIdentity {
  readonly token: string;
  readonly url: string | null;
  readonly isReleased: boolean;
}

interface NumberedClaim {
  readonly number: number;
  /** Undefined when the file cannot be understood: the machine failed while it was written. */
  readonly claim: Claim | undefined;
}

function holdClaim(directory: string, number: number, claim: Claim): DataDirectoryLock {
  const file = claimPath(directory, number);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined); // someone removed the directory: nothing is left to guard
  }, HEARTBEAT_MS);
  heartbeat.unref();
  const replace = async (changed: Claim): Promise<void> => {
    const unfinished = `${file}.${randomBytes(4).toString("hex")}.new`;
    await writeSynced(unfinished, changed);
    await rename(unfinished, file);
  };
  return {
    announceUrl: (url) => replace({ ...claim, url }),
    release: async () => {
      clearInterval(heartbeat);
      await replace({ ...claim, isReleased: true });
    },
  };
}

async function isHeld(directory: string, { number, claim }: NumberedClaim): Promise<boolean> {
  if (claim?.isReleased === true) return false;
  const state = claim === undefined ? "unknown" : await findProcess(claim);
  return state === "unknown" ? hasHeartbeat(claimPath(directory, number)) : state === "running";
}

/** Watches the claim of an owner that we cannot look at: a live one touches its file. */
async function hasHeartbeat(file: string): Promise<boolean> {
  const readBeat = async (): Promise<number> => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0; // replaced
  const before = await readBeat();
  const until = performance.now() + SILENCE_MS;
  while (performance.now() < until) {
    await sleep(HEARTBEAT_MS / 4);
    if ((await readBeat()) !== before) return true;
  }
  return false;
}

async function readHighest(directory: string): Promise<NumberedClaim | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const number = (await listNumbers(directory)).at(-1);
    if (number === undefined) return undefined;
    const text = await readFile(claimPath(directory, number), "utf8").catch(() => undefined); // a loser took it back
    if (text !== undefined) return { number, claim: parseClaim(text) };
  }
  return undefined;
}

async function listNumbers(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** False when another process has this number. */
async function tryClaim(directory: string, number: number, claim: Claim): Promise<boolean> {
  const unfinished = path.join(directory, `${claim.token}.new`);
  await writeSynced(unfinished, claim);
  try {
    await link(unfinished, claimPath(directory, number));
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    throw new AppError(
      "unavailable",
      "the data directory lies on a file system without hard links: set QUARRY_DATA_DIR to a local disk",
      { cause: error },
    );
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Removes refuted claims, and what a process that was killed while claiming left. */
async function removeBelow(directory: string, number: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    const isRefuted = /^\d+$/.test(name) && Number(name) < number;
    if (isRefuted || (name.endsWith(".new") && (await isOld(file)))) await rm(file, { force: true });
  }
}

async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined); // its process removed it
  return found !== undefined && Date.now() - found.mtimeMs > UNFINISHED_CLAIM_MS;
}

async function writeSynced(file: string, claim: Claim): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify(claim));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function claimPath(directory: string, number: number): string {
  return path.join(directory, String(number));
}

function parseClaim(text: string): Claim | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // its heartbeat decides
  }
  return isClaim(value) ? value : undefined;
}

function isClaim(value: unknown): value is Claim {
  if (typeof value !== "object" || value === null) return false;
  const claim = value as Partial<Record<keyof Claim, unknown>>;
  return (
    typeof claim.pid === "number" &&
    (claim.startedAt === null || typeof claim.startedAt === "string") &&
    typeof claim.world === "string" &&
    typeof claim.host === "string" &&
    typeof claim.token === "string" &&
    (claim.url === null || typeof claim.url === "string") &&
    typeof claim.isReleased === "boolean"
  );
}

function heldBy(claim: Claim | undefined): AppError {
  const owner = claim === undefined ? "" : ` (process ${claim.pid} on ${claim.host})`;
  const place = typeof claim?.url === "string" ? ` and answers at ${claim.url}` : "";
  return new AppError(
    "conflict",
    `another Quarry${owner} uses this data directory${place}: ` +
      "use that one, stop it first, or set QUARRY_DATA_DIR to another directory",
    { details: { pid: claim?.pid, url: claim?.url ?? undefined } },
  );
}
