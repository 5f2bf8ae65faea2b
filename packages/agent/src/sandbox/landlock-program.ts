/**
 * The program that shuts itself in and then becomes the command: JavaScript as a
 * text, because it must run in a process of its own, from the sources as well as from
 * a bundle. Node cannot give up rights by itself, so it calls the kernel through koffi.
 * Its one argument is a `LandlockOrder` as JSON. Whatever fails ends it with 125 before
 * the command was started: a command never runs with less than was ordered.
 */
export const LANDLOCK_PROGRAM = String.raw`
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const order = JSON.parse(process.argv[1]);
const koffi = require(order.koffi);
const libc = koffi.load(null);
const mount = libc.func("int mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)");
const prctl = libc.func("int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)");
const syscall = libc.func("long syscall(long number, ...)");
const fcntl = libc.func("int fcntl(int fd, int command, int value)");
const signal = libc.func("void *signal(int number, void *handler)");
const execv = libc.func("int execv(const char *path, const char **args)");
const socket = libc.func("int socket(int domain, int type, int protocol)");
const ioctl = libc.func("int ioctl(int fd, unsigned long request, void *argument)");

function fail(what) {
  fs.writeSync(2, "sandbox: " + what + "\n");
  process.exit(125);
}
function check(result, what) {
  if (Number(result) < 0) fail(what + " failed (errno " + koffi.errno() + ")");
  return Number(result);
}
const O_PATH = 0o10000000;
const MS = { nosuid: 2, nodev: 4, bind: 4096, rec: 16384, private: 1 << 18 };

/* A mount namespace of our own was made for us: hide and show files as ordered. Sources are opened before anything covers them. */
function makeMounts() {
  check(mount(null, "/", null, MS.rec | MS.private, null), "making mounts private");
  const plan = order.mounts.flatMap((each) => {
    const source = each.source ?? each.target;
    if (each.kind === "hide-directory") return [each];
    if (each.kind === "hide-file") return [{ ...each, fd: fs.openSync("/dev/null", O_PATH), isDirectory: false }];
    if (!fs.existsSync(source)) {
      if (each.kind === "show") return [];
      fail(source + " is not there");
    }
    return [{ ...each, fd: fs.openSync(source, O_PATH), isDirectory: fs.statSync(source).isDirectory() }];
  });
  // Landlock alone lets times and modes be changed everywhere. What is shown from now on is read-only too.
  setReadonly("/", true, true);
  for (const each of plan) {
    if (each.kind === "hide-directory") {
      check(mount("tmpfs", each.target, "tmpfs", MS.nosuid | MS.nodev, "mode=755"), "hiding " + each.target);
      continue;
    }
    if (!fs.existsSync(each.target)) {
      fs.mkdirSync(each.isDirectory ? each.target : path.dirname(each.target), { recursive: true });
      if (!each.isDirectory) fs.writeFileSync(each.target, "");
    }
    check(mount("/proc/self/fd/" + each.fd, each.target, null, MS.bind | MS.rec, null), "mounting " + each.target);
    if (each.kind === "write") setReadonly(each.target, false, false);
  }
  for (const each of plan) if (each.kind === "hide-directory") setReadonly(each.target, true, false);
}
/* Whether a mount, and with "isDeep" what is mounted below it, can be written. */
function setReadonly(target, isReadonly, isDeep) {
  const attributes = Buffer.alloc(32);
  attributes.writeBigUInt64LE(1n, isReadonly ? 0 : 8); // MOUNT_ATTR_RDONLY, to set or to clear
  const flags = isDeep ? 0x8000 : 0; // AT_RECURSIVE
  const result = syscall(442, "int", -100, "str", target, "uint", flags, "void *", attributes, "size_t", 32);
  check(result, "making " + target + (isReadonly ? " read-only" : " writable"));
}
/* The loopback device of a new network is down. */
function raiseLoopback() {
  const fd = check(socket(2, 2 | 0o2000000, 0), "socket");
  const request = Buffer.alloc(40);
  request.write("lo", 0, "latin1");
  request.writeUInt16LE(1 | 64, 16);
  check(ioctl(fd, 0x8914, request), "raising the loopback device");
  fs.closeSync(fd);
}
function giveUpPrivileges() {
  prctl(47, 4, 0, 0, 0); // PR_CAP_AMBIENT_CLEAR_ALL
  for (let capability = 0; capability <= 63; capability += 1) prctl(24, capability, 0, 0, 0); // PR_CAPBSET_DROP
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  check(syscall(order.calls.capset, "void *", header, "void *", Buffer.alloc(24)), "giving up capabilities");
}

function shutIn() {
  const abi = Number(syscall(order.calls.landlock, "void *", null, "size_t", 0, "uint", 1));
  if (abi < 3) fail("this kernel has no landlock of version 3 or later");
  const allFiles = (1n << (abi >= 5 ? 16n : 15n)) - 1n;
  const ruleset = Buffer.alloc(24);
  ruleset.writeBigUInt64LE(allFiles, 0);
  // A network of its own has only a loopback device, on which a command may serve and ask itself.
  const isOnOurNetwork = !order.hasNetwork && !order.isNamespaced;
  ruleset.writeBigUInt64LE(abi >= 4 && isOnOurNetwork ? 3n : 0n, 8);
  ruleset.writeBigUInt64LE(abi >= 6 ? 3n : 0n, 16); // no signals and no abstract sockets beyond ourselves
  const size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const fd = check(syscall(order.calls.landlock, "void *", ruleset, "size_t", size, "uint", 0), "landlock");
  const READ = 1n | 4n | 8n; // execute, read files, list directories
  const ON_FILES = 1n | 2n | 4n | (1n << 14n) | (1n << 15n);
  const allow = (at, rights) => {
    let opened;
    try {
      opened = fs.openSync(at, O_PATH);
    } catch {
      return; // what is not there needs no right
    }
    const isDirectory = fs.fstatSync(opened).isDirectory();
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(rights & allFiles & (isDirectory ? allFiles : ON_FILES), 0);
    rule.writeInt32LE(opened, 8);
    check(syscall(order.calls.landlock + 1, "int", fd, "int", 1, "void *", rule, "uint", 0), "allowing " + at);
    fs.closeSync(opened);
  };
  if (order.isNamespaced) allow("/", READ);
  else {
    allow("/", 8n);
    allowReading("/", new Set(order.hidden), (at) => allow(at, READ));
  }
  for (const device of ["null", "zero", "full", "tty", "console", "random", "urandom", "ptmx", "pts"])
    allow("/dev/" + device, 2n | 4n | 8n | (1n << 14n) | (1n << 15n));
  for (const at of order.writable) allow(at, allFiles);
  check(prctl(38, 1, 0, 0, 0), "no new privileges");
  if (isOnOurNetwork) forbidSockets();
  check(syscall(order.calls.landlock + 2, "int", fd, "uint", 0), "shutting in");
  fs.closeSync(fd);
}
/* Everything but what is hidden: the ways to hidden places are opened piece by piece. */
function allowReading(directory, hidden, allow) {
  let names;
  try {
    names = fs.readdirSync(directory);
  } catch {
    return; // not ours to read, shut in or not
  }
  for (const name of names) {
    const at = path.join(directory, name);
    if (hidden.has(at)) continue;
    if ([...hidden].some((each) => each.startsWith(at + "/"))) allowReading(at, hidden, allow);
    else allow(at);
  }
}
/* Without a network namespace: no sockets but those of this machine's own kind, and no io_uring, which could make some. */
function forbidSockets() {
  const steps = [
    [0x20, 0, 0, 0], // load the number of the call
    [0x15, 0, 1, order.calls.ioUringSetup],
    [0x06, 0, 0, 0x00050000 | 38], // ENOSYS
    [0x15, 0, 3, order.calls.socket],
    [0x20, 0, 0, 16], // load its first argument
    [0x15, 1, 0, 1], // AF_UNIX
    [0x06, 0, 0, 0x00050000 | 101], // ENETUNREACH
    [0x06, 0, 0, 0x7fff0000], // allow
  ];
  const filter = Buffer.alloc(steps.length * 8);
  steps.forEach(([code, yes, no, value], index) => {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(yes, index * 8 + 2);
    filter.writeUInt8(no, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  });
  koffi.struct("sock_fprog", { len: "unsigned short", filter: "void *" });
  const seccomp = libc.func("int prctl(int option, unsigned long mode, sock_fprog *program, unsigned long c, unsigned long d)");
  check(seccomp(22, 2, { len: steps.length, filter }, 0, 0), "forbidding sockets");
}

if (order.isNamespaced) {
  makeMounts();
  if (!order.hasNetwork) raiseLoopback();
  giveUpPrivileges();
} else check(prctl(1, 9, 0, 0, 0), "dying with the server");
process.chdir(order.cwd);
shutIn();
for (const fd of [0, 1, 2]) fcntl(fd, 2, 0); // Node sets close-on-exec on them
for (const number of [13, 25]) signal(number, null); // Node ignores SIGPIPE, the command must not
execv(order.args[0], [...order.args, null]);
fail("starting " + order.args[0] + " failed (errno " + koffi.errno() + ")");
`;
