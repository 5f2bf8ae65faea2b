import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { lockDataDirectory } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startLightEmbedder, type LightEmbedder } from "../../../tools/light-embedder.ts";

/** The built programs, run as a person runs them. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const cliEntry = path.join(root, "dist", "cli.js");
const LIMIT_MS = 90_000;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let home = "";
/** The directory of the server that most tests share. */
let dataDirectory = "";
let firstRuns: readonly Run[] = [];
/** Nothing here is about meaning: the servers load no model. */
let embedder: LightEmbedder;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [path.join(root, "tools", "ensure-installed.mjs")]);
  embedder = await startLightEmbedder();
  home = mkdtempSync(path.join(tmpdir(), "quarry-cli-e2e-"));
  dataDirectory = path.join(home, "data");
  firstRuns = await Promise.all([quarry(["keys", "list", "--json"]), quarry(["keys", "list", "--json"])]);
}, LIMIT_MS);

afterAll(async () => {
  await quarry(["stop"]);
  await embedder.close();
  rmSync(home, { recursive: true, force: true });
}, LIMIT_MS);

/** For commands that look at the model endpoints themselves. */
const OWN_MODEL = { QUARRY_EMBED_URL: undefined, QUARRY_EMBED_MODEL: undefined };

/** What a command is run with beside the usual; undefined takes a setting away. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the CLI with stdin open and nobody there to type. */
function start(args: readonly string[], env: Environment = {}, entry = cliEntry): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      QUARRY_DATA_DIR: dataDirectory,
      QUARRY_PORT: "0",
      QUARRY_SAMPLE: "0",
      ...embedder.settings,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

async function finish(child: ChildProcess): Promise<Run> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr?.on("data", (part: Buffer) => (stderr += part.toString("utf8")));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

function quarry(args: readonly string[], env?: Environment, entry?: string): Promise<Run> {
  return finish(start(args, env, entry));
}

/** Resolves as soon as the stream has shown the text. */
async function untilShown(stream: NodeJS.ReadableStream | null, text: string): Promise<void> {
  let seen = "";
  for await (const part of stream ?? []) {
    seen += part.toString();
    if (seen.includes(text)) return;
  }
  throw new Error(`ended before it showed ${text}: ${seen}`);
}

function parse(run: Run): unknown {
  expect(run).toMatchObject({ code: 0 });
  return JSON.parse(run.stdout);
}

function readServerFile(): { readonly url: string; readonly pid: number; readonly key: string } {
  const file = JSON.parse(readFileSync(path.join(dataDirectory, "server.json"), "utf8")) as unknown;
  return file as { url: string; pid: number; key: string };
}

/** The rows of a backup as it writes them; its first and last line speak of the file itself. */
function rowsIn(file: string): readonly string[] {
  return gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n").slice(1, -1);
}

interface Key {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly status: string;
}

verifies(
  ["cli:server:started-when-none", "cli:server:found-by-server-json", "cli:local-key:used-by-itself"],
  "starts one server for two commands at once, and finds it again by its file",
  async () => {
    expect(firstRuns.map(({ code }) => code)).toEqual([0, 0]);
    const { url, pid } = readServerFile();
    for (const { stderr } of firstRuns) expect(stderr).toContain(`Quarry is ready at ${url}`);
    // The index opens a moment after the port does, and says so until then.
    await expect
      .poll(async () => parse(await quarry(["status", "--json"])), { timeout: 60_000, interval: 500 })
      .toMatchObject({ running: true, url, pid, version: "0.1.0", status: "ok" });
  },
  LIMIT_MS,
);

verifies(
  "cli:keys:commands",
  "manages a key from its making to its end",
  async () => {
    const created = parse(await quarry(["keys", "create", "my agent", "--scopes", "search,admin", "--json"])) as Key;
    const { url } = readServerFile();
    const withKey = (key: string, ...args: readonly string[]): Promise<Run> =>
      quarry([...args, "--url", url], { QUARRY_API_KEY: key });

    const listed = parse(await quarry(["keys", "list", "--json"])) as { readonly data: readonly Key[] };
    expect(listed.data.find(({ id }) => id === created.id)).toMatchObject({ name: "my agent", status: "active" });
    expect(JSON.stringify(listed)).not.toContain(created.key);
    expect((await withKey(created.key, "keys", "show", created.id)).stdout).toMatch(/^Name +my agent$/m);
    const updated = await quarry(["keys", "update", created.id, "--name", "other", "--budget", "5", "--json"]);
    expect(parse(updated)).toMatchObject({ name: "other", budgetDollars: 5 });
    expect(parse(await quarry(["keys", "update", created.id, "--budget", "none", "--json"]))).toMatchObject({
      budgetDollars: null,
    });

    const rotated = parse(await quarry(["keys", "rotate", created.id, "--json"])) as Key;
    expect((await withKey(created.key, "keys", "list")).code).toBe(3);
    expect((await withKey(rotated.key, "keys", "list")).code).toBe(0);
    expect((await quarry(["keys", "revoke", created.id, "apikey_none"])).code).toBe(6);
    expect((await withKey(rotated.key, "keys", "list")).code).toBe(3);
  },
  LIMIT_MS,
);

verifies(
  ["cli:exit:ok", "cli:exit:usage", "cli:exit:not-found"],
  "tells the shell what happened",
  async () => {
    expect((await quarry(["usage"])).code).toBe(0);
    expect((await quarry(["usage", "--by", "weeks"])).code).toBe(2);
    expect((await quarry(["keys", "create", " "])).code).toBe(2);
    expect(await quarry(["keys", "show", "apikey_none"])).toMatchObject({ code: 4, stdout: "" });
  },
  LIMIT_MS,
);

verifies("cli:exit:auth", "ends with code 3 without a key and with a wrong one", async () => {
  const { url } = readServerFile();
  const without = await quarry(["keys", "list", "--url", url]);
  expect(without).toMatchObject({ code: 3, stdout: "" });
  expect(without.stderr).toContain("pass --key or set QUARRY_API_KEY");
  expect((await quarry(["keys", "list", "--url", url, "--key", "qry_wrong"])).code).toBe(3);
});

verifies(
  "cli:output:json",
  "gives JSON for every command that has data, counts what it called, and finds nothing wrong on this machine",
  async () => {
    // `keys list` and `status` are asked for JSON above.
    const commands = ["usage --by hour,key,endpoint", "config print", "completion bash"];
    const [usage] = await Promise.all(
      commands.map(async (command) => parse(await quarry([...command.split(" "), "--json"]))),
    );
    const { data } = usage as { readonly data: readonly { readonly endpoint: string; readonly requests: number }[] };
    expect(data.find(({ endpoint }) => endpoint === "GET /quarry/v1/keys")?.requests).toBeGreaterThan(0);
    const doctor = parse(await quarry(["doctor", "--json"], OWN_MODEL)) as { readonly findings: readonly unknown[] };
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({
        check: "server",
        status: "ok",
        detail: expect.stringContaining("runs at http:") as string,
      }),
    );
    const failed = await quarry(["keys", "show", "apikey_none", "--json"]);
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: "not_found", exitCode: 4 } });
  },
  LIMIT_MS,
);

verifies(
  ["cli:output:stdout-stderr", "cli:input:never-blocks"],
  "keeps stdout for data and never waits for somebody to type",
  async () => {
    const run = await quarry(["keys", "create", "for a pipe"]); // stdin is open and stays silent
    expect(run.stdout).toMatch(/^Key +qry_\w+\n/);
    expect(run.stderr).toBe("The key is shown only now: keep it.\n");
  },
);

verifies("cli:output:no-color", "colours a terminal, but not a pipe, and not with NO_COLOR", async () => {
  const inTerminal = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const command = `${process.execPath} ${cliEntry} config print`;
    const options = { cwd: home, env: { PATH: process.env["PATH"], TERM: "xterm-256color", ...env } };
    return (await promisify(execFile)("script", ["-qec", command, "/dev/null"], options)).stdout;
  };
  expect(await inTerminal({})).toContain("\u001B[2mNAME");
  expect(await inTerminal({ NO_COLOR: "1" })).not.toContain("\u001B");
  expect((await quarry(["config", "print"])).stdout).not.toContain("\u001B");
});

verifies("cli:interrupt:130", "ends with code 130 when interrupted", async () => {
  const directory = path.join(home, "owned");
  const lock = await lockDataDirectory(directory);
  onTestFinished(lock.release);
  const child = start(["keys", "list"], { QUARRY_DATA_DIR: directory });
  const finished = finish(child);
  await untilShown(child.stderr, "which is not ready yet");
  child.kill("SIGINT");
  expect(await finished).toMatchObject({ code: 130, stdout: "" });
});

verifies(
  ["cli:exit:error", "cli:errors:cause-and-fix"],
  "says why a server did not start, from its log",
  async () => {
    const blocker = http.createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void blocker.close());
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const env = { QUARRY_DATA_DIR: path.join(home, "blocked"), QUARRY_PORT: port };
    const run = await quarry(["keys", "list"], env);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /error: The server did not start: it ended with exit code 1\.\nThe end of .+server\.log:\n/,
    );
    expect(run.stderr).toContain(port);
    const doctor = await quarry(["doctor"], { ...env, ...OWN_MODEL });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("set QUARRY_PORT to another port")]);
  },
  LIMIT_MS,
);

verifies(
  "cli:eval-and-bench:commands",
  "runs the measurements of the repository it was built in",
  async () => {
    const out = path.join(home, "measured");
    const measured = await quarry(["eval", "--only", "edits", "--out", out]);
    expect(measured).toMatchObject({ code: 0, stdout: expect.stringContaining(`wrote ${out}`) as string });
    expect(existsSync(path.join(out, "edits.json"))).toBe(true);
    const unknown = await quarry(["bench", "--only", "nothing"]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("startup") as string });
  },
  LIMIT_MS,
);

verifies(
  "config:unknown:stops-start",
  "starts nothing with a setting it does not know",
  async () => {
    const env = { QUARRY_PROT: "7700", QUARRY_DATA_DIR: path.join(home, "misspelt") };
    const sentence = "QUARRY_PROT is not a setting; did you mean QUARRY_PORT?";
    const served = await quarry(["serve"], env);
    expect([served.code === 0, served.stdout + served.stderr]).toEqual([false, expect.stringContaining(sentence)]);
    expect(await quarry(["keys", "list"], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence) as string,
    });
    expect(existsSync(env.QUARRY_DATA_DIR)).toBe(false);
  },
  LIMIT_MS,
);

verifies(
  ["cli:backup:backup", "cli:backup:restore"],
  "backs up while keys are being made, and restores every row as it was",
  async () => {
    const [file, again] = [path.join(home, "one.backup"), path.join(home, "two.backup")];
    const kept = parse(await quarry(["keys", "create", "before", "--scopes", "admin", "--json"])) as Key;
    const [taken] = await Promise.all([
      quarry(["backup", file, "--json"]),
      ...["a", "b", "c"].map((name) => quarry(["keys", "create", `during ${name}`])),
    ]);
    expect(parse(taken)).toEqual({ file, bytes: statSync(file).size });

    const env = { QUARRY_DATA_DIR: path.join(home, "restored") };
    expect(parse(await quarry(["restore", file, "--json"], env))).toMatchObject({ restored: true });
    onTestFinished(async () => {
      await quarry(["stop"], env);
    });
    expect((await quarry(["backup", again], env)).code).toBe(0);
    const restored = new Set(rowsIn(again));
    expect(rowsIn(file).length).toBeGreaterThan(3);
    // The schedule of a server at work moves on by itself.
    expect(rowsIn(file).filter((row) => !restored.has(row) && !row.includes("* * * *"))).toEqual([]);
    const shown = await quarry(["keys", "show", kept.id, "--key", kept.key, "--json"], env);
    expect(parse(shown)).toMatchObject({ name: "before" });

    const busy = await quarry(["restore", file], env);
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining("stop it with quarry stop") as string });
    await quarry(["stop"], env);
    expect(await quarry(["restore", file], env)).toMatchObject({ code: 1, stdout: "" });
  },
  LIMIT_MS,
);

verifies(
  "cli:serve:starts",
  "stops the server it started; one served in the foreground has the same data, and stops with grace when told to",
  async () => {
    const before = parse(await quarry(["keys", "create", "kept", "--json"])) as Key;
    const { pid } = readServerFile();
    expect(parse(await quarry(["stop", "--json"]))).toEqual({ stopped: true, pid });
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect((await quarry(["status"])).code).toBe(1);

    const child = start(["serve", "--port", "0"]);
    const finished = finish(child);
    await untilShown(child.stdout, "is ready at");
    expect(readServerFile().pid).not.toBe(pid);
    const after = await quarry(["keys", "show", before.id, "--json"]);
    expect(parse(after)).toMatchObject({ name: "kept" });
    child.kill("SIGTERM");
    const { code, stdout } = await finished;
    expect([code, stdout]).toEqual([0, expect.not.stringContaining("qry_")]);
    expect(existsSync(path.join(dataDirectory, "server.json"))).toBe(false);
  },
  LIMIT_MS,
);

it(
  "runs from a clone by its bin file",
  async () => {
    const bin = path.join(root, "apps", "cli", "bin", "quarry.mjs");
    expect(await quarry(["--version"], {}, bin)).toMatchObject({ code: 0, stdout: "0.1.0\n" });
  },
  LIMIT_MS,
);
