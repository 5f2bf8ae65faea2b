import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Database, ToolSession } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Question } from "../judged-call.ts";
import type { CallOutcome } from "../tool.ts";
import { createToolRegistry } from "../tool-registry.ts";
import { ToolRuntime } from "../tool-runtime.ts";
import { deleteFileTool } from "../tools/delete-file/delete-file.ts";
import { listDirV2Tool } from "../tools/list-dir-v2/list-dir-v2.ts";
import { readFileV2Tool } from "../tools/read-file-v2/read-file-v2.ts";
import { ripgrepRawSearchTool } from "../tools/ripgrep-raw-search/ripgrep-raw-search.ts";
import { createWorkspace } from "./create-workspace.ts";

const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-outside-")));
const root = path.join(directory, "root");
const second = path.join(directory, "second");
const data = path.join(directory, "data");
const caller = { teamId: "team", name: "an agent" };
let db: Database;
let finish: () => void = () => undefined;
let finished: Promise<void>;

beforeAll(async () => {
  for (const each of [root, second, data, path.join(directory, "near"), path.join(data, "said")]) mkdirSync(each);
  writeFileSync(path.join(root, "a.txt"), "in the first");
  writeFileSync(path.join(second, "b.txt"), "in the second");
  writeFileSync(path.join(second, "a.txt"), "not the first");
  writeFileSync(path.join(directory, "near", "c.txt"), "near");
  writeFileSync(path.join(directory, "near", ".env"), "KEY=1");
  writeFileSync(path.join(data, "server.json"), "key");
  writeFileSync(path.join(data, "said", "1.txt"), "what a command said");
  await new Promise<void>((ready, fail) => {
    finished = withDatabase(async (database) => {
      db = database;
      await db.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
      const over = new Promise<void>((resolve) => (finish = resolve));
      ready();
      await over;
    });
    finished.catch(fail);
  });
}, 120_000);
afterAll(async () => {
  finish();
  await finished;
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

let sessions = 0;

/** Tools on the two roots, in a runtime of their own. */
async function withRuntime<T>(
  options: { readonly headless?: "approve" | "deny"; readonly mayAsk?: boolean },
  work: (runtime: ToolRuntime, session: ToolSession) => Promise<T>,
): Promise<T> {
  const deps = createWorkspace({
    roots: [root, second],
    historyDirectory: path.join(data, "history"),
    ...(options.mayAsk === false ? {} : { outside: { hidden: [data], freeOf: () => [path.join(data, "said")] } }),
  });
  const runtime = await ToolRuntime.start({
    db,
    clock: { now: () => new Date() },
    registry: createToolRegistry([
      readFileV2Tool(deps),
      listDirV2Tool(deps),
      ripgrepRawSearchTool(deps),
      deleteFileTool(deps),
    ]),
    headless: options.headless,
    filesOf: () => [],
    onFailure: (error) => expect(error).toBeUndefined(),
  });
  try {
    return await work(runtime, await runtime.session(caller, { name: `session ${(sessions += 1)}` }));
  } finally {
    await runtime.close();
  }
}

let calls = 0;

/** Calls a tool; where it asks, `answer` sees the question before it is answered with yes for the session. */
async function call(
  runtime: ToolRuntime,
  session: ToolSession,
  asked: { readonly tool: string; readonly args: JsonObject },
  answer?: (question: Question) => void,
): Promise<CallOutcome> {
  const toolCallId = `call ${(calls += 1)}`;
  const live = runtime.call({
    caller,
    session,
    toolCallId,
    given: {
      clientTool: ClientSideToolV2.UNSPECIFIED,
      name: asked.tool,
      params: undefined,
      rawArgs: JSON.stringify(asked.args),
    },
    isInternal: false,
    timeoutMs: undefined,
  });
  if (answer === undefined) return (await live.ended).outcome;
  for await (const event of live.follow(AbortSignal.timeout(20_000))) {
    if (event.kind !== "approval-needed") continue;
    answer(event.approval.question as unknown as Question);
    const { id: approvalId } = event.approval;
    await runtime.answer({ teamId: "team", approvalId, decision: "session", reason: "", answeredBy: "Ada" });
    return (await live.ended).outcome;
  }
  throw new Error(`nobody was asked: ${JSON.stringify((await live.ended).outcome)}`);
}

const read = (targetFile: string): { tool: string; args: JsonObject } => ({
  tool: "read_file_v2",
  args: { targetFile },
});

describe("paths outside of the workspace", () => {
  const near = path.join(directory, "near");
  const file = path.join(near, "c.txt");

  verifies(
    "tools:workspace:paths:outside-asks",
    "are asked about each time, read and searched after a yes, and refused when nobody is there",
    async () => {
      await withRuntime({}, async (runtime, session) => {
        for (const named of [file, "../near/c.txt"]) {
          const seen: Question[] = [];
          const outcome = await call(runtime, session, read(named), (question) => seen.push(question));
          expect(outcome).toMatchObject({ kind: "succeeded", result: { contents: "near" } });
          // A yes for the session is a yes for this call: the next one is asked about again.
          expect(seen).toMatchObject([
            { reasons: [`${file} lies outside the workspace`], paths: [file], canSave: false },
          ]);
        }
        const search = {
          tool: "ripgrep_raw_search",
          args: { pattern: "near|KEY", path: near, outputMode: "files_with_matches" },
        };
        expect(await call(runtime, session, search, () => undefined)).toMatchObject({
          result: {
            success: {
              workspaceResults: {
                [near]: { files: { files: ["c.txt"], filesWithMeta: [{ isOutOfWorkspace: true }] } },
              },
            },
          },
        });
        const deleted = { tool: "delete_file", args: { relativeWorkspacePath: path.join(near, "link.txt") } };
        symlinkSync(file, path.join(near, "link.txt"));
        expect(await call(runtime, session, deleted, () => undefined)).toMatchObject({
          result: { fileDeletedSuccessfully: true },
        });
        expect(existsSync(file)).toBe(true);
      });
      await withRuntime({ headless: "deny" }, async (runtime, session) => {
        expect(await call(runtime, session, read(file))).toMatchObject({
          kind: "rejected",
          reason: expect.stringContaining("nobody is there") as string,
        });
      });
      // Where the owner of a machine named its roots, nobody else can widen them.
      await withRuntime({ mayAsk: false }, async (runtime, session) => {
        expect(JSON.stringify(await call(runtime, session, read(file)))).toContain("outside the workspace");
      });
    },
  );

  it("are what the person saw: a link that leads elsewhere by the time of the yes is not followed", () =>
    withRuntime({}, async (runtime, session) => {
      const link = path.join(root, "moves");
      writeFileSync(path.join(directory, "other.txt"), "other");
      symlinkSync(file, link);
      const outcome = await call(runtime, session, read("moves"), () => {
        unlinkSync(link);
        symlinkSync(path.join(directory, "other.txt"), link);
      });
      unlinkSync(link);
      expect(JSON.stringify(outcome)).toContain("outside the workspace");
    }));

  it("are refused unasked where they hold secrets or the server's own data, but for what a session's commands said", () =>
    withRuntime({}, async (runtime, session) => {
      const refused = async (named: string): Promise<string> =>
        JSON.stringify(await call(runtime, session, read(named)));
      expect(await refused(path.join(near, ".env"))).toContain("as a secret");
      expect(await refused(path.join(data, "server.json"))).toContain("its own data");
      expect(await refused(data)).toContain("its own data");
      expect(await refused(directory)).toContain("its own data");
      expect(await call(runtime, session, read(path.join(data, "said", "1.txt")))).toMatchObject({
        result: { contents: "what a command said" },
      });
    }));
});

describe("several roots", () => {
  verifies(
    "tools:workspace:paths:several-roots",
    "are all worked in: a relative path is found in whichever has it, the first before the others",
    () =>
      withRuntime({}, async (runtime, session) => {
        const contents = async (named: string): Promise<unknown> => {
          const outcome = await call(runtime, session, read(named));
          return outcome.kind === "succeeded" ? outcome.result["contents"] : outcome;
        };
        expect(await contents("a.txt")).toBe("in the first");
        expect(await contents("b.txt")).toBe("in the second");
        expect(await contents(path.join(second, "a.txt"))).toBe("not the first");
        const search = { tool: "ripgrep_raw_search", args: { pattern: "first", outputMode: "files_with_matches" } };
        expect(await call(runtime, session, search)).toMatchObject({
          result: {
            success: {
              workspaceResults: { [root]: { files: { files: ["a.txt"] } }, [second]: { files: { files: ["a.txt"] } } },
            },
          },
        });
        // A session that names one of them works in that one alone.
        const one = await runtime.session(caller, { name: "one", workspaceRoot: second });
        expect(await call(runtime, one, read("a.txt"))).toMatchObject({ result: { contents: "not the first" } });
      }),
  );
});
