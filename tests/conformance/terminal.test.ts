import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ApprovalDecision, ApprovalService, ToolService } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { startServerProcess, withDataDirectory } from "../../tools/server-process.ts";

/** What a call said on its way, and its result. */
interface Seen {
  readonly cases: readonly string[];
  readonly output: string;
  readonly reasons: readonly string[];
  readonly result: { readonly case: string | undefined; readonly value?: unknown };
}

describe("the terminal of the real server", () => {
  verifies(
    [
      "tools:run-terminal-command-v2:result:human-review-v2",
      "tools:run-terminal-command-v2:process:no-orphans",
      "tools:write-shell-stdin:params:chars",
    ],
    "runs a command after an approval, shows its output, lets it be answered in the background, and leaves nothing behind",
    () =>
      withDataDirectory(async (directory) => {
        const root = path.join(realpathSync(directory), "workspace");
        mkdirSync(root);
        writeFileSync(path.join(root, "greeting.txt"), "Good day\n");
        const server = await startServerProcess(path.join(directory, "data"), {
          QUARRY_SAMPLE: "0",
          QUARRY_WORKSPACE_ROOTS: root,
        });
        try {
          const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "2" });
          const headers = { headers: { "x-api-key": server.key } };
          const tools = createClient(ToolService, transport);
          const approvals = createClient(ApprovalService, transport);
          const run = async (call: Parameters<typeof tools.run>[0]["call"]): Promise<Seen> => {
            const cases: string[] = [];
            let output = "";
            let reasons: readonly string[] = [];
            let result: Seen["result"] = { case: undefined };
            for await (const { event } of tools.run({ call: call ?? {} }, headers)) {
              cases.push(event.case ?? "none");
              if (event.case === "approvalNeeded") {
                ({ reasons } = event.value);
                const answer = { case: "decision", value: ApprovalDecision.ONCE } as const;
                await approvals.answer({ approvalId: event.value.id, answer }, headers);
              }
              if (event.case === "output") output += JSON.stringify(event.value);
              if (event.case === "result") ({ result } = event.value);
            }
            return { cases, output, reasons, result };
          };
          const command = `cat greeting.txt; read -rp 'name? ' name; echo "hello $name"; exec sleep 424243`;
          const params = {
            case: "runTerminalCommandV2Params",
            value: { command, commandDescription: "to greet" },
          } as const;
          const asked = await run({ name: "run_terminal_command_v2", toolCallId: "t1", params });
          expect(asked.cases.slice(0, 4)).toEqual(["accepted", "partialCall", "call", "approvalNeeded"]);
          expect(asked.reasons.join("\n")).toMatch(/to greet\n[^]*sandbox: (bubblewrap|landlock)/);
          expect(asked.output).toContain("Good day");
          expect(asked.result).toMatchObject({
            case: "runTerminalCommandV2Result",
            value: {
              isRunningInBackground: true,
              poppedOutIntoBackground: true,
              humanReviewV2: { selectedOption: "run" },
              output: expect.stringContaining("waits for input") as unknown,
            },
          });
          const { backgroundShellId: shellId = 0, output } = asked.result.value as {
            backgroundShellId?: number;
            output: string;
          };
          const stdin = { case: "writeShellStdinParams", value: { shellId, chars: "Ada\n" } } as const;
          const typed = await run({ name: "write_shell_stdin", toolCallId: "t2", params: stdin });
          expect(typed.result).toMatchObject({
            case: "writeShellStdinResult",
            value: { result: { case: "success", value: { shellId } } },
          });
          const [, transcript = ""] = /its output is in (\S+)\]/.exec(output) ?? [];
          await until(() => readFileSync(transcript, "utf8").includes("hello Ada"));
          await until(isAsleep);
        } finally {
          await server.kill(); // nothing may outlive even that
        }
        await until(() => !isAsleep());
      }),
    120_000,
  );
});

function isAsleep(): boolean {
  return spawnSync("pgrep", ["-fx", "sleep 424243"]).status === 0;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 200 && !isSo(); round += 1) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(isSo()).toBe(true);
}
