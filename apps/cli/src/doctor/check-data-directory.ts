import { access, constants, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../format.ts";
import type { Check, Finding } from "./check.ts";

const GIB = 1024 ** 3;
const FAIL_BELOW_BYTES = GIB / 2;
const WARN_BELOW_BYTES = 5 * GIB;

/** Whether the data directory, or the one it would be made in, can be written and has room. */
export const checkDataDirectory: Check = async ({ config: { dataDir } }) => {
  const place = await findExisting(dataDir);
  return [await lookAtAccess(dataDir, place), await lookAtRoom(place)];
};

async function lookAtAccess(dataDirectory: string, place: string): Promise<Finding> {
  const check = "data directory";
  const found = await stat(place);
  if (!found.isDirectory()) {
    return { check, status: "fail", detail: `${place} is not a directory`, fix: "set QUARRY_DATA_DIR to a directory" };
  }
  if (!(await isWritable(place))) {
    return {
      check,
      status: "fail",
      detail: `${place} cannot be written by this user`,
      fix: `chown it to this user, or set QUARRY_DATA_DIR elsewhere`,
    };
  }
  if (place !== dataDirectory)
    return { check, status: "ok", detail: `${dataDirectory} will be made on the first start` };
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    return {
      check,
      status: "warn",
      detail: `${dataDirectory} belongs to user ${found.uid}, this is user ${uid}`,
      fix: `run Quarry as user ${found.uid}, or: chown -R ${uid} ${dataDirectory}`,
    };
  }
  if (uid !== undefined && (found.mode & 0o022) !== 0) {
    return {
      check,
      status: "warn",
      detail: `${dataDirectory} can be written by other users`,
      fix: `chmod go-w ${dataDirectory}`,
    };
  }
  return { check, status: "ok", detail: dataDirectory };
}

async function lookAtRoom(place: string): Promise<Finding> {
  const check = "disk";
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const detail = `${formatBytes(free)} free`;
  if (free >= WARN_BELOW_BYTES) return { check, status: "ok", detail };
  const fix = "free some space, or set QUARRY_DATA_DIR to a larger disk";
  return { check, status: free < FAIL_BELOW_BYTES ? "fail" : "warn", detail, fix };
}

/** The directory itself, or the nearest one above it that is there. */
async function findExisting(directory: string): Promise<string> {
  for (let place = directory; ; place = path.dirname(place)) {
    if (place === path.dirname(place) || (await exists(place))) return place;
  }
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch {
    return false; // that is the answer asked for
  }
}

async function isWritable(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // that is the answer asked for
  }
}
