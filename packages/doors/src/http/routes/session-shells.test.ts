import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createSessionShells, createWorkspace, type ToolRuntime } from "@quarry/agent";
import { systemClock } from "@quarry/base";
import { openToolSession } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, onTestFinished } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { sessionShellRoutes } from "./session-shells.ts";
import { toolSessionRoutes } from "./sessions.ts";

verifies(
  "agent-protocol:sessions:state",
  "shows, reads and stops what a session left running, for its own team alone",
  async () => {
    const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-shells-")));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const root = path.join(directory, "root");
    mkdirSync(root);
    const { terminals, code } = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
    onTestFinished(async () => {
      await Promise.all([terminals.close(), code.close()]);
    });
    const shells = createSessionShells(terminals);
    await withHttpApp(
      async ({ call, db, teamId, clock, makeKey, makeTeam }) => {
        const { id } = await openToolSession(db, { id: "session_1", teamId, name: "s" }, clock.now());
        const order = {
          sessionId: id,
          roots: [root],
          command: "echo up; sleep 300",
          cwd: root,
          policy: { type: "none" },
        };
        const shell = await terminals.start(order as never, new AbortController().signal);
        terminals.keep(shell);
        await new Promise<void>((heard) => shell.onOutput(() => heard()));
        const base = `/quarry/v1/sessions/${id}`;
        const shown = { id: shell.id, command: order.command, state: "running", exitCode: null };
        expect((await call("GET", base)).json()).toMatchObject({ terminals: [shown] });
        expect((await call("GET", `${base}/shells`)).json()).toMatchObject({ data: [shown] });
        expect((await call("GET", `${base}/shells/${shell.id}`)).json()).toMatchObject({ ...shown, output: "up" });
        const { secret } = await makeKey({ teamId: await makeTeam() });
        expect((await call("POST", `${base}/shells/${shell.id}/stop`, { key: secret })).statusCode).toBe(404);
        expect((await call("POST", `${base}/shells/99/stop`)).statusCode).toBe(404);
        expect((await call("POST", `${base}/shells/${shell.id}/stop`)).json()).toMatchObject({ state: "stopped" });
        expect((await call("GET", base)).json()).toMatchObject({ terminals: [{ id: shell.id, state: "stopped" }] });
      },
      ({ db }) => ({
        routes: [
          ...toolSessionRoutes({ db, clock: systemClock, shells }),
          // The routes ask the runtime for these two alone.
          ...sessionShellRoutes({ tools: { deps: { db }, sessionShells: shells } as unknown as ToolRuntime }),
        ],
      }),
    );
  },
);
