import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { Machines, type Execution, type MachineLine } from "./machines.ts";
import { withWorkspace } from "./testing-workspace.ts";
import { createToolRegistry } from "./tool-registry.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";
import { WorkspaceMachine } from "./workspace-machine.ts";
import { createSessionChanges } from "./workspace/session-changes.ts";

const context: ToolContext = {
  teamId: "team",
  session: { id: "s", workspaceRoot: "", mode: "agent" },
  toolCallId: "c",
  signal: new AbortController().signal,
  earlierResults: () => Promise.resolve([]),
};

function lineTo(take: (execution: Execution) => void): MachineLine {
  return { execute: take, stop: () => undefined, close: () => undefined };
}

describe("a machine far away", () => {
  verifies("agent-protocol:remote:disconnect", "fails what waits for it when it does not come back", () =>
    withWorkspace({ "a.txt": "a" }, async ({ deps }) => {
      const tool = workspaceTools(deps).find(({ name }) => name === "read_file_v2");
      if (tool === undefined) throw new Error("there are tools");
      const machines = new Machines({ reconnectMs: 10 });
      const executor = machines.executor(tool);
      await expect(executor.inspect({ targetFile: "a.txt" }, context)).rejects.toThrow(/not connected/);
      const leave = machines.attach(
        "s",
        lineTo(() => undefined),
      );
      const running = executor.run({ targetFile: "a.txt" }, context).next();
      leave();
      await expect(running).rejects.toThrow(/did not come back; whether read_file_v2 took effect is not known/);
      machines.close();
    }),
  );

  it("lists what was changed there and takes it back, where its owner lets a server write", () =>
    withWorkspace({ "a.txt": "a" }, async ({ deps, root }) => {
      const tools = workspaceTools(deps);
      const tool = tools.find(({ name }) => name === "delete_file");
      if (tool === undefined) throw new Error("there are tools");
      const machines = new Machines();
      const serve = (tiers: readonly Tool["tier"][]): WorkspaceMachine => {
        const machine = new WorkspaceMachine({
          registry: createToolRegistry(tools),
          session: { id: "s", workspaceRoot: "" },
          tiers,
          policyFiles: [],
          changes: createSessionChanges(deps),
        });
        machine.setSink((id, report) => machines.report("s", id, report));
        machines.attach(
          "s",
          lineTo((execution) => machine.take(execution)),
        );
        return machine;
      };
      const changes = machines.changesOf(context.session);
      await expect(changes.checkpoints("s")).rejects.toThrow(/not connected/);
      const open = serve(["read", "write"]);
      expect(await changes.checkpoints("s")).toEqual([]);
      await machines.executor(tool).run({ relativeWorkspacePath: "a.txt" }, context).next();
      const [checkpoint] = await changes.checkpoints("s");
      const { id = "" } = checkpoint?.changes[0] ?? {};
      expect(checkpoint).toMatchObject({ turnId: "c", changes: [{ id, after: { kind: "nothing" } }] });
      expect(await changes.compare("s", id)).toMatchObject([{ diff: expect.stringContaining("+a") as string }]);
      await expect(changes.undo(context.session, "change_none")).rejects.toMatchObject({ code: "not_found" });

      const closed = serve(["read"]);
      await expect(changes.restore(context.session, id)).rejects.toThrow(/does not let a server write/);
      open.close();
      const again = serve(["read", "write"]);
      expect(await changes.restore(context.session, id)).toMatchObject({ changes: [{ after: { kind: "file" } }] });
      expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("a");
      writeFileSync(path.join(root, "a.txt"), "someone else's");
      await expect(changes.undo(context.session, id)).rejects.toMatchObject({ code: "conflict" });
      for (const machine of [closed, again]) machine.close();
      machines.close();
    }));

  it("tells what it did once, however often it is asked for, and keeps to what its owner allows", () =>
    withWorkspace({ "a.txt": "a" }, async ({ deps }) => {
      const registry = createToolRegistry(workspaceTools(deps));
      const machine = new WorkspaceMachine({
        registry,
        session: { id: "s", workspaceRoot: "" },
        tiers: ["read"],
        policyFiles: [],
      });
      const told: string[] = [];
      const work = { id: "e1", step: "run", toolCallId: "c", tool: "read_file_v2", mode: "agent" } as const;
      const heard = new Promise<void>((resolve) => {
        machine.setSink((id, report) => {
          told.push(`${id} ${report.kind}`);
          resolve();
        });
      });
      machine.take({ ...work, args: { targetFile: "a.txt" } });
      await heard;
      machine.setSink((id, report) => told.push(`${id} again ${report.kind}`));
      machine.take({ ...work, args: { targetFile: "a.txt" }, reportsSeen: 1 });
      machine.take({ ...work, args: { targetFile: "a.txt" }, reportsSeen: 0 });
      machine.take({ ...work, id: "e2", tool: "delete_file", args: { relativeWorkspacePath: "a.txt" } });
      expect(told).toEqual(["e1 succeeded", "e1 again succeeded", "e2 again failed"]);
      machine.close();
    }));
});
