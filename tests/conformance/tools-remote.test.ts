import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

/** `quarry agent connect` in a process of its own. */
interface Machine {
  readonly sessionId: string;
  readonly freeze: () => void;
  readonly kill: () => Promise<void>;
}

describe("a workspace on another machine", () => {
  let server: ServerProcess;
  let finish: () => void = () => undefined;
  let finished: Promise<void>;
  const far = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-far-")));
  const root = path.join(far, "project");
  const machines = new Set<ChildProcess>();

  beforeAll(async () => {
    mkdirSync(root);
    writeFileSync(path.join(root, "note.txt"), "one\ntwo\n");
    writeFileSync(path.join(root, "old.txt"), "old\n");
    writeFileSync(path.join(root, "older.txt"), "older\n");
    writeFileSync(path.join(far, "outside.txt"), "not yours\n");
    symlinkSync(path.join(far, "outside.txt"), path.join(root, "link.txt"));
    await new Promise<void>((ready, fail) => {
      finished = withDataDirectory(async (directory) => {
        server = await startServerProcess(directory);
        const over = new Promise<void>((resolve) => (finish = resolve));
        ready();
        await over;
        await server.stop();
      });
      finished.catch(fail);
    });
  }, 120_000);

  afterAll(async () => {
    for (const child of machines) child.kill("SIGKILL");
    finish();
    await finished;
    rmSync(far, { recursive: true, force: true });
  }, 60_000);

  verifies(
    "agent-protocol:remote:connect",
    "reads there, asks before it deletes there, takes that back there, and never leaves its root",
    async () => {
      const machine = await connect();
      const { sessionId } = machine;
      const read = await call(sessionId, "read_file_v2", { targetFile: "note.txt" }, "r1");
      expect(read).toEqual({ contents: "one\ntwo", totalLinesInFile: 2, numCharactersInRequestedRange: 7 });
      for (const targetFile of ["link.txt", path.join(far, "outside.txt"), "../outside.txt"]) {
        const refused = await call(sessionId, "read_file_v2", { targetFile }, `out ${targetFile}`);
        expect(JSON.stringify(refused)).toContain("outside the workspace");
      }
      const deleted = call(sessionId, "delete_file", { relativeWorkspacePath: "old.txt" }, "d1");
      await approve(sessionId, { paths: ["old.txt"] });
      expect(await deleted).toEqual({ fileDeletedSuccessfully: true });
      expect(existsSync(path.join(root, "old.txt"))).toBe(false);
      await takeBack(sessionId);
      // The workspace's own file can only tighten.
      writeFileSync(
        path.join(root, ".quarry-policy.json"),
        JSON.stringify({
          rules: [{ decision: "allow" }, { decision: "deny", paths: ["note.txt"], reason: "hands off" }],
        }),
      );
      expect(JSON.stringify(await call(sessionId, "read_file_v2", { targetFile: "note.txt" }, "r2"))).toContain(
        "hands off",
      );
      rmSync(path.join(root, ".quarry-policy.json"));
      await machine.kill();
    },
    60_000,
  );

  verifies(
    "agent-protocol:remote:disconnect",
    "goes on by tool_call_id when the machine comes back, and does nothing twice",
    async () => {
      const machine = await connect();
      const { sessionId } = machine;
      const deleting = { relativeWorkspacePath: "older.txt" };
      const inspected = call(sessionId, "delete_file", deleting, "d2"); // looked at there before the question is asked
      const approvalId = await pending(sessionId);
      machine.freeze();
      const reading = call(sessionId, "read_file_v2", { targetFile: "note.txt" }, "r3");
      await server.call("POST", `/quarry/v1/approvals/${approvalId}/answer`, { decision: "once" });
      await until(async () => (await listed(sessionId, "used")).length === 1);
      await machine.kill();

      const again = await connect(sessionId);
      // What only reads is done by the new process; what may have had its effect is not.
      expect(await reading).toMatchObject({ contents: "one\ntwo" });
      expect(JSON.stringify(await inspected)).toContain("whether it took effect is not known");
      expect(existsSync(path.join(root, "older.txt"))).toBe(true);
      expect(await call(sessionId, "read_file_v2", { targetFile: "note.txt" }, "r3")).toEqual(await reading);
      await again.kill();
      // Another machine cannot take the session over.
      await expect(connect(sessionId, "other")).rejects.toThrow(/make another session/);
    },
    90_000,
  );

  /** The deletion is listed by the server, and taken back on the machine that holds the file. */
  async function takeBack(sessionId: string): Promise<void> {
    const session = `/quarry/v1/sessions/${sessionId}`;
    const { body } = await server.call("GET", `${session}/checkpoints`);
    const [checkpoint] = (body as { data: { id: string; changes: object[] }[] }).data;
    const { id = "" } = checkpoint ?? {};
    const deleted = { toolCallId: "d1", path: path.join(root, "old.txt"), kind: "deleted" };
    expect(checkpoint?.changes).toMatchObject([deleted]);
    expect((await server.call("GET", `${session}/checkpoints/${id}`)).body).toMatchObject({
      data: [{ path: deleted.path, diff: expect.stringContaining("+old") as string }],
    });
    expect((await server.call("POST", `${session}/changes/${id}/undo`, {})).body).toMatchObject({
      changes: [{ path: deleted.path, kind: "created", undoes: id }],
    });
    expect(readFileSync(deleted.path, "utf8")).toBe("old\n");
    expect((await server.call("POST", `${session}/changes/none/undo`, {})).status).toBe(404);
  }

  async function connect(sessionId?: string, name = "far"): Promise<Machine> {
    const args = [
      "--json",
      "--url",
      server.url,
      "--key",
      server.key,
      "agent",
      "connect",
      "--root",
      root,
      "--name",
      name,
    ];
    const child = spawn(
      process.execPath,
      [path.resolve("dist", "cli.js"), ...args, ...(sessionId === undefined ? [] : ["--session", sessionId])],
      { cwd: far, env: { ...process.env, QUARRY_DATA_DIR: path.join(far, "data") }, stdio: ["ignore", "pipe", "pipe"] },
    );
    machines.add(child);
    let said = "";
    const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const served = await new Promise<string>((resolve, reject) => {
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
      child.stdout.on("data", (chunk: Buffer) => {
        const [, id] = /"sessionId":\s*"([^"]+)"/.exec(chunk.toString()) ?? [];
        if (id !== undefined) resolve(id);
      });
      child.once("close", () => reject(new Error(said)));
    });
    return {
      sessionId: served,
      freeze: () => child.kill("SIGSTOP"),
      kill: async () => {
        child.kill("SIGKILL");
        await exited;
      },
    };
  }

  async function call(sessionId: string, tool: string, args: object, toolCallId: string): Promise<unknown> {
    const query = new URLSearchParams({ sessionId, toolCallId });
    return (await server.call("POST", `/quarry/v1/tools/${tool}/calls?${query.toString()}`, args)).body;
  }

  async function listed(sessionId: string, status: string): Promise<readonly { id: string; paths: string[] }[]> {
    const reply = await server.call("GET", `/quarry/v1/approvals?sessionId=${sessionId}&status=${status}`);
    return (reply.body as { data: { id: string; paths: string[] }[] }).data;
  }

  async function pending(sessionId: string): Promise<string> {
    await until(async () => (await listed(sessionId, "pending")).length === 1);
    return (await listed(sessionId, "pending"))[0]?.id ?? "";
  }

  async function approve(sessionId: string, question: object): Promise<void> {
    const id = await pending(sessionId);
    expect((await listed(sessionId, "pending"))[0]).toMatchObject(question);
    await server.call("POST", `/quarry/v1/approvals/${id}/answer`, { decision: "once" });
  }
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
