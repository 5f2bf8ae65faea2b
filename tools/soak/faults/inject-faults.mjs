// Loaded into a process under test by `node --import`: notes each place of the program that writes to a disk, and lets
// the one that FAULT_DIRECTORY/order.json names fail as a broken disk would, for as long as that file is there.
// What the process finds and does is appended to FAULT_DIRECTORY/notes.ndjson.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

const { appendFileSync, readFileSync, writeSync } = fs;
const directory = process.env.FAULT_DIRECTORY;
const ORDER = path.join(directory, "order.json");
const NOTES = path.join(directory, "notes.ndjson");
const ERRNO = { EIO: -5, EMFILE: -24, ENOSPC: -28, EROFS: -30 };
const TEXT = {
  EIO: "i/o error",
  EMFILE: "too many open files",
  ENOSPC: "no space left on device",
  EROFS: "read-only file system",
};

/** Which faults the system knows for each call; TORN writes the first half and then finds the disk full, SHORT tells how much it wrote. */
const OPENS = ["ENOSPC", "EIO", "EMFILE", "EROFS"];
const WRITES = ["ENOSPC", "EIO", "TORN"];
const MAKES = ["ENOSPC", "EIO", "EROFS"];
const CHANGES = ["EIO", "EROFS"];
const CALLS = {
  open: OPENS,
  writeFile: [...OPENS, "TORN"],
  appendFile: [...OPENS, "TORN"],
  copyFile: OPENS,
  cp: OPENS,
  write: [...WRITES, "SHORT"],
  writev: ["ENOSPC", "EIO"],
  mkdir: MAKES,
  mkdtemp: MAKES,
  rename: MAKES,
  link: MAKES,
  symlink: MAKES,
  truncate: CHANGES,
  ftruncate: ["EIO"],
  rm: CHANGES,
  rmdir: CHANGES,
  unlink: CHANGES,
  chmod: CHANGES,
  chown: CHANGES,
  utimes: CHANGES,
  fchmod: ["EIO"],
  fsync: ["ENOSPC", "EIO"],
  fdatasync: ["ENOSPC", "EIO"],
};
const HANDLE_CALLS = {
  write: [...WRITES, "SHORT"],
  writeFile: WRITES,
  appendFile: WRITES,
  sync: ["ENOSPC", "EIO"],
  datasync: ["ENOSPC", "EIO"],
  truncate: ["EIO"],
  chmod: ["EIO"],
  utimes: ["EIO"],
};

const noted = new Set();
let within = 0;

/** The place of the program that makes this call; undefined when the call is Node's own. */
function findPlace() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 12;
  const lines = new Error().stack?.split("\n").slice(1) ?? [];
  Error.stackTraceLimit = limit;
  for (const line of lines) {
    const found = /(?:\(|at )(?:async )?(?:file:\/\/)?(\/[^()]+):(\d+):(\d+)\)?$/.exec(line);
    if (found !== null && !found[1].endsWith("inject-faults.mjs")) return found.slice(1).join(":");
  }
  // A file stream opens and writes by itself, later than whoever made it.
  return lines.some((line) => line.includes("node:internal/fs/streams")) ? "stream" : undefined;
}

function readOrder() {
  try {
    return JSON.parse(readFileSync(ORDER, "utf8"));
  } catch {
    return undefined; // nothing is to fail
  }
}

function note(record) {
  real(appendFileSync, fs, [NOTES, `${JSON.stringify(record)}\n`]);
}

/** The fault that this call is to meet; undefined for none. */
function decide(call, faults, args) {
  if (within > 0) return undefined;
  if (call === "open" && !isForWriting(args[1])) return undefined;
  const place = findPlace();
  if (place === undefined) return undefined;
  const site = `${call} ${place}`;
  if (!noted.has(site)) {
    noted.add(site);
    note({ kind: "site", site, faults });
  }
  const order = readOrder();
  if (order === undefined || (order.site !== "*" && order.site !== site) || !faults.includes(order.fault))
    return undefined;
  note({ kind: "fault", id: order.id, site });
  return order.fault;
}

function isForWriting(flags) {
  if (typeof flags === "number") return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
  return typeof flags === "string" && /[wa+]/.test(flags);
}

function errorOf(fault, call, target) {
  const code = fault === "TORN" ? "ENOSPC" : fault;
  const named = typeof target === "string" ? { path: target } : {};
  const where = typeof target === "string" ? ` '${target}'` : "";
  return Object.assign(new Error(`${code}: ${TEXT[code]}, ${call}${where}`), {
    errno: ERRNO[code],
    code,
    syscall: call,
    ...named,
  });
}

function halfOf(data) {
  const bytes =
    typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

/** Puts the first half of what was to be written where it was to go. */
function tear(call, target, data) {
  const half = halfOf(data);
  if (typeof target === "number") writeSync(target, half);
  else if (call === "appendFile") appendFileSync(target, half);
  else fs.writeFileSync(target, half);
}

/** Half of the bytes for a call that tells how many it took. */
function shorten(args) {
  const [target, data, offset, length, ...rest] = args;
  if (typeof data === "string") return args;
  const from = typeof offset === "number" ? offset : 0;
  const whole = typeof length === "number" ? length : data.byteLength - from;
  return [target, data, from, Math.max(1, Math.floor(whole / 2)), ...rest.slice(0)];
}

/** Runs the real call; calls that it makes of its own are not places of the program. */
function real(original, self, args) {
  within += 1;
  try {
    return original.apply(self, args);
  } finally {
    within -= 1;
  }
}

function meet(fault, call, args) {
  within += 1;
  try {
    if (fault === "TORN") tear(call, args[0], args[1]);
  } finally {
    within -= 1;
  }
  return errorOf(fault, call, args[0]);
}

function replace(owner, name, made) {
  const original = owner[name];
  const replacement = made(original);
  for (const key of Reflect.ownKeys(original)) {
    if (["length", "name", "prototype"].includes(key)) continue;
    Object.defineProperty(replacement, key, Object.getOwnPropertyDescriptor(original, key));
  }
  owner[name] = replacement;
}

for (const [call, faults] of Object.entries(CALLS)) {
  const sync = `${call}Sync`;
  if (typeof fs[sync] === "function") {
    replace(
      fs,
      sync,
      (original) =>
        function (...args) {
          const fault = decide(call, faults, args);
          if (fault === undefined) return real(original, this, args);
          if (fault === "SHORT") return real(original, this, shorten(args));
          throw meet(fault, call, args);
        },
    );
  }
  if (typeof fs[call] === "function") {
    replace(
      fs,
      call,
      (original) =>
        function (...args) {
          const fault = decide(call, faults, args);
          if (fault === undefined) return real(original, this, args);
          const last = args.at(-1);
          if (fault === "SHORT") return real(original, this, [...shorten(args.slice(0, -1)), last]);
          const error = meet(fault, call, args);
          process.nextTick(() => last(error));
        },
    );
  }
  if (typeof fs.promises[call] === "function") {
    replace(
      fs.promises,
      call,
      (original) =>
        function (...args) {
          const fault = decide(call, faults, args);
          return fault === undefined ? real(original, this, args) : Promise.reject(meet(fault, call, args));
        },
    );
  }
}

const handle = await fs.promises.open("/dev/null", "r");
const prototype = Object.getPrototypeOf(handle);
await handle.close();
for (const [call, faults] of Object.entries(HANDLE_CALLS)) {
  replace(
    prototype,
    call,
    (original) =>
      function (...args) {
        const fault = decide(`handle.${call}`, faults, args);
        if (fault === undefined) return real(original, this, args);
        if (fault === "SHORT") return real(original, this, shorten([undefined, ...args]).slice(1));
        return Promise.reject(meet(fault, call, [this.fd, ...args]));
      },
  );
}
syncBuiltinESMExports();
