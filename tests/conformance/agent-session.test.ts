import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import {
  ApprovalDecision,
  ApprovalService,
  ApprovalStatus,
  ToolService,
  type ClientSideToolV2CallSchema,
  type ClientSideToolV2Result,
} from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";

/** A small shop whose sum is wrong, with a test that says so and a file that lacks an import. */
const REPOSITORY = {
  "package.json": '{ "name": "shop", "type": "module" }\n',
  "README.md": "# Shop\n\nIt adds prices up.\n",
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler" } }\n',
  "src/total.js": "export function totalOf(items) {\n  return items.reduce((sum, item) => sum - item.price, 0);\n}\n",
  "src/price.ts": "export function priceOf(): number {\n  return 2;\n}\n",
  "src/till.ts": "export const twice: number = priceOf() * 2;\n",
  "test/total.test.js": [
    'import { equal } from "node:assert";',
    'import { totalOf } from "../src/total.js";',
    "equal(totalOf([{ price: 2 }, { price: 3 }]), 5);",
    "",
  ].join("\n"),
};
const TESTS = "node test/total.test.js";
/** Nobody may delete; everything else is as it is without a file: writing and running are asked about. */
const POLICY = { rules: [{ decision: "deny", tools: ["delete_file"], reason: "nothing is deleted here" }] };
const DONE = {
  ...REPOSITORY,
  "src/total.js": REPOSITORY["src/total.js"].replace("sum - item", "sum + item"),
  "src/till.ts": `import { priceOf } from "./price";\n\n${REPOSITORY["src/till.ts"]}`,
};

type Call = MessageInitShape<typeof ClientSideToolV2CallSchema>;

const calls = {
  search: {
    toolCallId: "search",
    params: { case: "ripgrepRawSearchParams", value: { pattern: "totalOf", outputMode: "files_with_matches" } },
  },
  read: { toolCallId: "read", params: { case: "readFileV2Params", value: { targetFile: "src/total.js" } } },
  testsBefore: {
    toolCallId: "tests before",
    params: { case: "runTerminalCommandV2Params", value: { command: TESTS } },
  },
  mend: {
    toolCallId: "mend",
    params: {
      case: "editFileParams",
      value: { relativeWorkspacePath: "src/total.js", oldString: "sum - item.price", newString: "sum + item.price" },
    },
  },
  testsAfter: { toolCallId: "tests after", params: { case: "runTerminalCommandV2Params", value: { command: TESTS } } },
  lint: { toolCallId: "lint", name: "fix_lints", rawArgs: '{"paths":["src/till.ts"]}' },
  todos: {
    toolCallId: "todos",
    params: {
      case: "todoWriteParams",
      value: { todos: [{ id: "1", content: "Mend the sum", status: "completed" }], merge: false },
    },
  },
  spoil: {
    toolCallId: "spoil",
    params: {
      case: "editFileParams",
      value: { relativeWorkspacePath: "README.md", oldString: "adds prices up", newString: "does something" },
    },
  },
  remove: {
    toolCallId: "remove",
    params: { case: "deleteFileParams", value: { relativeWorkspacePath: "src/total.js" } },
  },
} satisfies Record<string, Call>;

/** An agent: a generated client over HTTP/2 that works in one session. */
class Agent {
  readonly #tools: Client<typeof ToolService>;
  readonly #key: string;
  readonly #sessionId: string;

  constructor(server: ServerProcess, sessionId: string) {
    this.#tools = createClient(ToolService, transportOf(server));
    this.#key = server.key;
    this.#sessionId = sessionId;
  }

  /** Runs a call to its end, however long its question stays open. */
  async call(call: Call): Promise<ClientSideToolV2Result> {
    const request = { sessionId: this.#sessionId, call };
    for await (const { event } of this.#tools.run(request, { headers: { "x-api-key": this.#key } })) {
      if (event.case === "result") return event.value;
    }
    throw new Error("the stream ended without a result");
  }

  /** The result of a call that succeeds, as text to look into. */
  async text(call: Call): Promise<string> {
    const { result, error } = await this.call(call);
    if (error !== undefined) throw new Error(error.modelVisibleErrorMessage);
    return inspect(result.value, { depth: 10 });
  }

  /** The exit code of a command that ran to its end. */
  async command(call: Call): Promise<number> {
    const { result, error } = await this.call(call);
    const code = result.case === "runTerminalCommandV2Result" ? result.value.exitCodeV2 : undefined;
    if (code !== undefined) return code;
    throw new Error(`it did not run to its end: ${error?.modelVisibleErrorMessage ?? inspect(result.value)}`);
  }
}

/** A person: a second client that says yes to every question, and remembers what was asked. */
class Approver {
  readonly asked: { readonly tool: string; readonly paths: readonly string[]; readonly diff: string }[] = [];
  readonly #approvals: Client<typeof ApprovalService>;
  readonly #sessionId: string;
  readonly #options: { readonly headers: Record<string, string>; readonly signal: AbortSignal };
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(server: ServerProcess, sessionId: string) {
    this.#sessionId = sessionId;
    this.#approvals = createClient(ApprovalService, transportOf(server));
    this.#options = { headers: { "x-api-key": server.key }, signal: this.#stop.signal };
    this.#done = this.#answer();
    this.#done.catch(() => undefined); // told to whoever makes it leave
  }

  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #answer(): Promise<void> {
    try {
      for await (const { approval } of this.#approvals.watch({ sessionId: this.#sessionId }, this.#options)) {
        if (approval?.status !== ApprovalStatus.PENDING) continue;
        this.asked.push({ tool: approval.tool, paths: approval.paths, diff: approval.diff ?? "" });
        const answer = { case: "decision", value: ApprovalDecision.ONCE } as const;
        await this.#approvals.answer({ approvalId: approval.id, answer }, this.#options);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }
}

describe("an agent's session in a repository", () => {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-agent-session-")));
  const data = path.join(directory, "data");
  const settings = { QUARRY_SAMPLE: "0", QUARRY_WORKSPACE_ROOTS: path.join(directory, "work") };
  let server: ServerProcess;

  beforeAll(async () => {
    mkdirSync(data);
    writeFileSync(path.join(data, "policy.json"), JSON.stringify(POLICY));
    for (const name of ["plain", "killed"]) makeRepository(path.join(directory, "work", name));
    server = await startServerProcess(data, settings);
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  it("names every tool there is in docs/tools.md, and no other", async () => {
    const { data: tools } = (await server.call("GET", "/quarry/v1/tools")).body as { data: { name: string }[] };
    const page = readFileSync(path.resolve("docs", "tools.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([a-z0-9_]+)` +\|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  verifies(
    "agent-protocol:proof:scripted-session",
    "finds a bug, mends it, runs the tests, fixes lints, writes todos and takes one edit back, asked about each change",
    async () => {
      const root = path.join(directory, "work", "plain");
      const sessionId = await openSession(server, root);
      const agent = new Agent(server, sessionId);
      const approver = new Approver(server, sessionId);

      expect(await agent.text(calls.search)).toContain("src/total.js");
      const read = await agent.call(calls.read);
      expect(read.result.case === "readFileV2Result" && read.result.value.contents).toContain("sum - item.price");
      expect(await agent.command(calls.testsBefore)).toBe(1);
      await agent.text(calls.mend);
      expect(await agent.command(calls.testsAfter)).toBe(0);
      expect(await agent.text(calls.lint)).toContain("src/till.ts");
      expect((await agent.call(calls.todos)).result).toMatchObject({ value: { success: true } });
      await agent.text(calls.spoil);
      expect(readFileSync(path.join(root, "README.md"), "utf8")).toContain("does something");
      await undo(server, sessionId, "README.md");
      expect((await agent.call(calls.remove)).error?.modelVisibleErrorMessage).toContain("nothing is deleted here");

      expect(filesOf(root)).toEqual(DONE);
      expect(await todosOf(server, sessionId)).toMatchObject([{ id: "1", status: "completed" }]);
      // Looking was not asked about, changing and running was, each time.
      expect(approver.asked.map(({ tool }) => tool)).toEqual([
        "run_terminal_command_v2",
        "edit_file",
        "run_terminal_command_v2",
        "fix_lints",
        "edit_file",
      ]);
      expect(approver.asked[1]).toMatchObject({
        paths: ["src/total.js"],
        diff: expect.stringContaining("sum + item.price") as string,
      });
      await approver.leave();
    },
    180_000,
  );

  verifies(
    "agent-protocol:proof:scripted-session-killed",
    "goes on after the server was killed while a question was open, and does nothing twice",
    async () => {
      const root = path.join(directory, "work", "killed");
      const sessionId = await openSession(server, root);
      const before = new Agent(server, sessionId);
      const first = new Approver(server, sessionId);
      expect(await before.text(calls.search)).toContain("src/total.js");
      expect(await before.command(calls.testsBefore)).toBe(1);
      await before.text(calls.spoil);
      await first.leave();
      const mending = before.call(calls.mend);
      mending.catch(() => undefined); // its server dies; it is asked for again below
      await pendingQuestion(server, sessionId);
      await server.kill();
      await expect(mending).rejects.toThrow();
      expect(filesOf(root)["src/total.js"]).toBe(REPOSITORY["src/total.js"]);

      server = await startServerProcess(data, settings);
      const after = new Agent(server, sessionId);
      const second = new Approver(server, sessionId);
      await after.text(calls.mend);
      // The same call again is the same call: the text to replace is gone, and nobody looks for it.
      await after.text(calls.mend);
      expect(await after.command(calls.testsAfter)).toBe(0);
      expect(await after.text(calls.lint)).toContain("src/till.ts");
      expect((await after.call(calls.todos)).result).toMatchObject({ value: { success: true } });
      // What was changed before the kill can still be taken back.
      await undo(server, sessionId, "README.md");

      expect(filesOf(root)).toEqual(DONE);
      expect(await todosOf(server, sessionId)).toMatchObject([{ id: "1", status: "completed" }]);
      // The open question outlived the kill, and was asked once.
      expect(second.asked.map(({ tool }) => tool)).toEqual(["edit_file", "run_terminal_command_v2", "fix_lints"]);
      await second.leave();
    },
    240_000,
  );
});

function transportOf({ url }: ServerProcess): Transport {
  return createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: true });
}

function makeRepository(root: string): void {
  for (const [name, text] of Object.entries(REPOSITORY)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

function filesOf(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(path.join(root, name), "utf8")]));
}

async function openSession(server: ServerProcess, workspaceRoot: string): Promise<string> {
  const { body } = await server.call("POST", "/quarry/v1/sessions", { workspaceRoot });
  return (body as { id: string }).id;
}

async function todosOf(server: ServerProcess, sessionId: string): Promise<unknown> {
  return ((await server.call("GET", `/quarry/v1/sessions/${sessionId}`)).body as { todos: unknown }).todos;
}

/** Takes the last change of a file back, as a person would who sees the list. */
async function undo(server: ServerProcess, sessionId: string, name: string): Promise<void> {
  const listed = await server.call("GET", `/quarry/v1/sessions/${sessionId}/checkpoints`);
  const { data: turns } = listed.body as { data: { id: string; changes: { id: string; path: string }[] }[] };
  const turn = turns.findLast(({ changes }) => changes.some((change) => change.path.endsWith(`/${name}`)));
  const compared = await server.call("GET", `/quarry/v1/sessions/${sessionId}/checkpoints/${turn?.id ?? ""}`);
  expect(JSON.stringify(compared.body)).toContain("+It adds prices up.");
  const change = turn?.changes.find(({ path: changed }) => changed.endsWith(`/${name}`));
  const undone = await server.call("POST", `/quarry/v1/sessions/${sessionId}/changes/${change?.id ?? ""}/undo`);
  expect(undone).toMatchObject({ status: 200, body: { changes: [{ undoes: change?.id, kind: "changed" }] } });
}

async function pendingQuestion(server: ServerProcess, sessionId: string): Promise<string> {
  for (;;) {
    const reply = await server.call("GET", `/quarry/v1/approvals?sessionId=${sessionId}&status=pending`);
    const [question] = (reply.body as { data: { id: string }[] }).data;
    if (question !== undefined) return question.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
