import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createSessionChanges, createWorkspace, type ToolRuntime } from "@quarry/agent";
import { openToolSession } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, onTestFinished } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { sessionChangeRoutes } from "./session-changes.ts";

interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly turnId: string;
    readonly changes: readonly { readonly id: string }[];
  }[];
}

verifies(
  ["tools:undo:checkpoints:list-diff-restore", "tools:undo:writes:changed-since"],
  "lists, compares, restores and undoes over HTTP, for its own team alone, and not what a person changed since",
  async () => {
    const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-changes-")));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const root = path.join(directory, "root");
    mkdirSync(root);
    const file = path.join(root, "a.txt");
    writeFileSync(file, "one\n");
    const workspace = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
    onTestFinished(async () => {
      await Promise.all([workspace.terminals.close(), workspace.code.close()]);
    });
    await withHttpApp(
      async ({ call, db, teamId, clock, makeKey, makeTeam }) => {
        const session = await openToolSession(db, { id: "session_1", teamId, name: "s" }, clock.now());
        const base = `/quarry/v1/sessions/${session.id}`;
        const write = (turnId: string, text: string) =>
          workspace.history.make(
            { sessionId: session.id, toolCallId: turnId, turnId, absolute: file, root },
            { kind: "file", bytes: Buffer.from(text) },
          );
        await write("first", "two\n");
        await write("second", "three\n");
        const listed = (await call("GET", `${base}/checkpoints`)).json<Listed>();
        expect(listed.data.map(({ turnId, changes }) => [turnId, changes.length])).toEqual([
          ["first", 1],
          ["second", 1],
        ]);
        const [first, second] = listed.data;
        const compared = await call("GET", `${base}/checkpoints/${first?.id ?? ""}`);
        expect(compared.json()).toMatchObject({
          data: [{ path: file, diff: expect.stringContaining("-three\n+one") as string }],
        });
        writeFileSync(file, "mine\n");
        for (const way of [`checkpoints/${first?.id ?? ""}/restore`, `changes/${second?.id ?? ""}/undo`]) {
          const refused = await call("POST", `${base}/${way}`);
          expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
            409,
            expect.stringContaining("changed since"),
          ]);
        }
        expect(readFileSync(file, "utf8")).toBe("mine\n");
        writeFileSync(file, "three\n");
        expect((await call("POST", `${base}/changes/${second?.id ?? ""}/undo`)).json()).toMatchObject({
          changes: [{ undoes: second?.id, kind: "changed" }],
        });
        expect(readFileSync(file, "utf8")).toBe("two\n");
        await call("POST", `${base}/checkpoints/${first?.id ?? ""}/restore`);
        expect(readFileSync(file, "utf8")).toBe("one\n");
        const { secret } = await makeKey({ teamId: await makeTeam() });
        expect((await call("GET", `${base}/checkpoints`, { key: secret })).statusCode).toBe(404);
        expect((await call("POST", `${base}/checkpoints/change_0/restore`)).statusCode).toBe(404);
      },
      ({ db }) => ({
        // The routes ask the runtime for these two alone.
        routes: sessionChangeRoutes({
          tools: { deps: { db }, sessionChanges: createSessionChanges(workspace) } as unknown as ToolRuntime,
        }),
      }),
    );
  },
);
