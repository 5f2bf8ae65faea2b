import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRipgrep } from "../workspace/ripgrep.ts";
import { confine } from "./confinement.ts";
import { DEFAULT_POLICY } from "./sandbox-policy.ts";
import { chooseSandbox, type SandboxMeans } from "./sandbox.ts";
import { ESCAPES } from "./testing-escapes.ts";

/** Where something listens on this machine. */
interface Listening {
  readonly tcp: number;
  readonly udp: number;
  readonly socket: string;
  readonly abstract: string;
  readonly victim: ChildProcess;
  readonly close: () => void;
}

let directory: string;
let listening: Listening;

beforeAll(async () => {
  // Not in the temporary directory: a sandbox has one of its own in place of it, and nothing there could be reached anyhow.
  const near = path.resolve("node_modules", ".cache");
  const base = /^\/(var\/)?tmp\//.test(realpathSync(path.resolve("node_modules")))
    ? path.join(homedir(), ".cache")
    : near;
  mkdirSync(base, { recursive: true });
  directory = realpathSync(mkdtempSync(path.join(base, "quarry-escape-")));
  listening = await listen(directory);
});

afterAll(() => {
  listening.close();
  rmSync(directory, { recursive: true, force: true });
});

describe("ways out of the sandbox", () => {
  verifies(
    [
      "tools:run-terminal-command-v2:sandbox:100-escapes",
      "promises:t21:sandbox",
      "tools:run-terminal-command-v2:sandbox:git-hooks-read-only",
    ],
    "are more than 100, each works without it, and none with the best that this machine has",
    async () => {
      expect(ESCAPES.length).toBeGreaterThanOrEqual(100);
      const free = runAll(makeWorld("free"), undefined);
      const confined = runAll(makeWorld("confined"), await wrapFor("confined"));
      expect({ powerless: notEscaped(free), escaped: escaped(confined), judged: confined.length }).toEqual({
        powerless: [],
        escaped: [],
        judged: ESCAPES.length,
      });
    },
    120_000,
  );

  verifies(
    "tools:run-terminal-command-v2:sandbox:bubblewrap-then-landlock",
    "are shut by landlock too, where bubblewrap is missing",
    async () => {
      const confined = runAll(makeWorld("landlock"), await wrapFor("landlock", ["landlock"]));
      expect({ escaped: escaped(confined), judged: confined.length }).toEqual({ escaped: [], judged: ESCAPES.length });
      const found = await chooseSandbox({ bubblewrap: "no-such-program" });
      const nothing = await chooseSandbox({ means: ["bubblewrap"], bubblewrap: "no-such-program" });
      expect([found.kind, nothing]).toEqual(["landlock", { kind: "none", why: "bubblewrap: not installed" }]);
    },
    120_000,
  );

  it.each(["bubblewrap", "landlock"] as const)(
    "leave a command its own loopback, with %s: what serves there it can ask, and nobody else",
    async (means) => {
      const found = await chooseSandbox({ means: [means] });
      if (found.kind === "none") {
        expect(found.why).toBe("bubblewrap: not installed");
        return;
      }
      const { root } = makeWorld(`serves-${means}`);
      const wrap = await wrapFor(`serves-${means}`, [means]);
      const serveAndAsk = `const net = require("node:net");
        const server = net.createServer((c) => c.end("served")).listen(0, "127.0.0.1", () =>
          net.connect(server.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); server.close(); }));`;
      const { program, args } = wrap({ program: process.execPath, args: ["-e", serveAndAsk], cwd: root });
      const { stdout, stderr } = spawnSync(program, [...args], { cwd: root, encoding: "utf8", timeout: 30_000 });
      expect({ stdout, stderr }).toEqual({ stdout: "served\n", stderr: "" });
    },
    60_000,
  );
});

interface World {
  readonly root: string;
  readonly out: string;
  readonly home: string;
  readonly own: string;
}

function worldOf(name: string): World {
  const at = (part: string): string => path.join(directory, name, part);
  return { root: at("root"), out: at("out"), home: at("home"), own: at("own") };
}

/** A workspace with secrets and rules, a place beside it, and a home. */
function makeWorld(name: string): World {
  const world = worldOf(name);
  const { root, out, home, own } = world;
  for (const each of [
    path.join(root, "hidden"),
    path.join(root, "sub"),
    path.join(out, "dir1"),
    path.join(out, "empty"),
    path.join(home, ".ssh"),
    path.join(own, "tmp"),
    path.join(own, "record"),
    path.join(own, "transcripts"),
  ]) {
    mkdirSync(each, { recursive: true });
  }
  const files: Readonly<Record<string, string>> = {
    [path.join(root, "a.txt")]: "a",
    [path.join(root, ".env")]: "KEY=TOPSECRET\n",
    [path.join(root, "hidden/a.txt")]: "TOPSECRET\n",
    [path.join(root, ".cursorignore")]: "hidden/\n",
    [path.join(root, ".quarry-policy.json")]: "{}",
    [path.join(out, "secret.txt")]: "TOPSECRET\n",
    [path.join(out, "dir1/keep")]: "",
    [path.join(home, ".ssh/id_rsa")]: "TOPSECRET\n",
    [path.join(home, ".netrc")]: "TOPSECRET\n",
    [path.join(home, ".bashrc")]: "",
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(file, text);
  for (const number of [1, 2, 3, 4, 5]) writeFileSync(path.join(out, `victim${number}`), "aaa");
  spawnSync("git", ["init", "-q", root]);
  spawnSync("tar", ["-C", root, "-cf", path.join(root, "x.tar"), "a.txt"]);
  ESCAPES.forEach((_, index) => {
    if (ESCAPES[index]?.includes("mv b$N") === true) cpSync(path.join(root, "a.txt"), path.join(root, `b${index}`));
  });
  return world;
}

type Wrap = (command: { readonly program: string; readonly args: readonly string[]; readonly cwd: string }) => {
  readonly program: string;
  readonly args: readonly string[];
};

/** How a world's commands are confined, with the means of this machine or the given ones. */
async function wrapFor(name: string, means?: readonly SandboxMeans[]): Promise<Wrap> {
  const { root, home, own } = worldOf(name);
  const sandbox = await chooseSandbox(means === undefined ? {} : { means });
  if (sandbox.kind === "none" || sandbox.lacks !== undefined)
    throw new Error("there is no whole sandbox on this machine");
  const of = {
    roots: [root],
    policy: DEFAULT_POLICY,
    tmp: path.join(own, "tmp"),
    record: path.join(own, "record"),
    transcripts: path.join(own, "transcripts"),
  };
  const deps = { ripgrep: createRipgrep(), hiddenDirectories: [path.dirname(listening.socket)], home };
  const confinement = await confine(deps, of, new AbortController().signal);
  return (command) => sandbox.wrap(confinement, command);
}

/** Runs every attempt in one shell, each in a subshell of its own; what each said, by its number. */
function runAll({ root, out, home }: World, wrap: Wrap | undefined): readonly string[] {
  const script = ESCAPES.map(
    (attempt, index) => `printf "\\n#%s\\n" ${index}; (export N=${index}; ${attempt}) 2>/dev/null </dev/null`,
  ).join("\n");
  const file = path.join(root, "attempts.sh");
  writeFileSync(file, `cd "${root}"\n${script}\n`);
  const bash = { program: "/bin/bash", args: ["--noprofile", "--norc", file], cwd: root };
  const { program, args } = wrap === undefined ? bash : wrap(bash);
  const { stdout } = spawnSync(program, [...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 100_000,
    env: {
      PATH: `/usr/local/bin:/usr/bin:/bin:${path.dirname(process.execPath)}`,
      HOME: home,
      OUT: out,
      TCP: String(listening.tcp),
      UDP: String(listening.udp),
      SOCKET: listening.socket,
      ABSTRACT: listening.abstract,
      VICTIM: String(listening.victim.pid),
    },
  });
  return stdout.split(/^#\d+$/m).slice(1);
}

function escaped(said: readonly string[]): readonly string[] {
  return ESCAPES.filter((_, index) => said[index]?.includes("ESCAPED") === true);
}

function notEscaped(said: readonly string[]): readonly string[] {
  return ESCAPES.filter((_, index) => said[index]?.includes("ESCAPED") !== true);
}

/** Listens in a process of its own: this one is held up while the attempts run. */
async function listen(at: string): Promise<Listening> {
  const abstract = `quarry-escape-${process.pid}`;
  const sockets = path.join(at, "sockets");
  mkdirSync(sockets);
  const socket = path.join(sockets, "listening");
  const program = `
    const net = require("node:net"), dgram = require("node:dgram");
    const udp = dgram.createSocket("udp4").on("message", (m, from) => udp.send("y", from.port, from.address));
    const tcp = net.createServer((c) => c.on("error", () => 0)).listen(0, "127.0.0.1", () => udp.bind(0, "127.0.0.1", () =>
      net.createServer().listen(process.argv[1], () =>
        console.log(JSON.stringify({ tcp: tcp.address().port, udp: udp.address().port })))));`;
  const server = spawn(process.execPath, ["-e", program, socket], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await new Promise<readonly string[]>((resolve) =>
    server.stdout.once("data", (data: Buffer) => resolve([data.toString()])),
  );
  const ports = JSON.parse(line ?? "{}") as { readonly tcp: number; readonly udp: number };
  const hidden = spawn(
    "python3",
    [
      "-c",
      `import socket,time\ns=socket.socket(socket.AF_UNIX);s.bind("\\0${abstract}");s.listen(9);print(1,flush=True);time.sleep(300)`,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await new Promise((resolve) => hidden.stdout.once("data", resolve));
  const victim = spawn("sleep", ["300"], { stdio: "ignore" });
  return {
    ...ports,
    socket,
    abstract,
    victim,
    close: () => {
      for (const child of [server, hidden, victim]) child.kill("SIGKILL");
    },
  };
}
