import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { toClientResult, toInteractionQuery, type EndedCall } from "@quarry/agent";
import { AppError } from "@quarry/base";
import {
  hasScope,
  SessionResponseSchema,
  ToolEventSchema,
  type Caller,
  type SessionRequest,
  type SessionResponse,
  type ToolEventMessage,
} from "@quarry/contract";
import {
  findToolCall,
  getApproval,
  listApprovals,
  listResultsAfter,
  listWaitingCalls,
  openToolSession,
  takeSessionMessages,
  updateToolSession,
  type SessionMode,
  type ToolCall,
  type ToolSession,
} from "@quarry/store";
import { readReport, toExecuteMessage } from "./machine-messages.ts";
import { MessageQueue } from "./message-queue.ts";
import { readAnswer, readInteractionResponse } from "./read-answer.ts";
import { callerOf, sessionOf, streamSignal, type RpcDeps } from "./rpc-deps.ts";
import { runAgentCall, runClientCall } from "./run-calls.ts";

/** How many results one look brings when a client comes back. */
const REPLAY_PAGE = 100;
const MODES: readonly SessionMode[] = ["agent", "plan", "ask"];

/** The two-way stream of a session: see ToolService.Session. It ends when the client has said all and every call is over. */
export async function* openSession(
  deps: RpcDeps,
  requests: AsyncIterable<SessionRequest>,
  context: HandlerContext,
): AsyncGenerator<SessionResponse> {
  const caller = callerOf(context);
  const signal = streamSignal(deps, context);
  const incoming = requests[Symbol.asyncIterator]();
  const first = await incoming.next();
  if (first.done === true || first.value.message.case !== "open") {
    throw new AppError("invalid_request", "the first message of a session must be open");
  }
  const { sessionId, lastSequence, workspaceRoot, mode, machine } = first.value.message.value;
  const session = await openOrMake(deps, caller, { sessionId, workspaceRoot, mode, machine: machine?.name });
  const stream = new SessionStream(deps, { caller, session, signal });
  stream.say({ case: "opened", value: { sessionId: session.id, resumed: sessionId !== "" } });
  // A machine only works: results, questions and messages are for the agent's own stream.
  if (machine === undefined) await stream.catchUp(Number(lastSequence));
  else stream.serve();
  void stream.listen(incoming);
  try {
    yield* stream.responses();
  } finally {
    stream.leave();
  }
}

async function openOrMake(
  deps: RpcDeps,
  caller: Caller,
  wish: {
    readonly sessionId: string;
    readonly workspaceRoot: string;
    readonly mode: string;
    readonly machine: string | undefined;
  },
): Promise<ToolSession> {
  const { machine } = wish;
  if (machine === "") throw new AppError("invalid_request", "machine.name: give the machine a name");
  if (wish.sessionId !== "") {
    const session = await sessionOf(deps, caller, { id: wish.sessionId });
    return machine === undefined ? session : giveToMachine(deps, session, machine);
  }
  const mode = MODES.find((known) => known === wish.mode);
  if (wish.mode !== "" && mode === undefined) throw new AppError("invalid_request", `mode: one of ${MODES.join(", ")}`);
  const { db, clock } = deps.tools.deps;
  const { workspaceRoot } = wish;
  const made = {
    teamId: caller.teamId,
    workspaceRoot,
    ...(mode === undefined ? {} : { mode }),
    ...(machine === undefined ? {} : { machine }),
  };
  return openToolSession(db, made, clock.now());
}

/** A session works on one machine's files for good: those of the same path elsewhere are others. */
async function giveToMachine(deps: RpcDeps, session: ToolSession, machine: string): Promise<ToolSession> {
  if (session.machine === machine) return session;
  if (session.machine !== null || session.workspaceRoot !== "") {
    const holder = session.machine ?? "the server";
    throw new AppError("conflict", `the workspace of session ${session.id} is on ${holder}; make another session`);
  }
  const { db, clock } = deps.tools.deps;
  return updateToolSession(db, session, { machine }, clock.now());
}

/** One open stream: what it sends, and the calls it follows. */
class SessionStream {
  readonly #deps: RpcDeps;
  readonly #caller: Caller;
  readonly #session: ToolSession;
  readonly #signal: AbortSignal;
  readonly #queue = new MessageQueue<SessionResponse>();
  readonly #stopHearing: () => void;
  #openCalls = 0;
  #hasClientEnded = false;
  #detach: (() => void) | undefined;
  /** Results up to here were sent, or are being sent by the call that is followed. */
  readonly #told = new Set<string>();

  constructor(
    deps: RpcDeps,
    of: { readonly caller: Caller; readonly session: ToolSession; readonly signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#caller = of.caller;
    this.#session = of.session;
    this.#signal = of.signal;
    this.#signal.addEventListener("abort", () => this.#queue.close(), { once: true });
    this.#stopHearing = deps.tools.changes.onChange((change) => {
      if (this.#detach === undefined && change?.sessionId === of.session.id && change.approvalId !== null)
        this.#watch(this.#heard(change.approvalId));
    });
  }

  responses(): AsyncGenerator<SessionResponse> {
    return this.#queue.read();
  }

  /** The client is the machine that holds the workspace: it is given work from now on. */
  serve(): void {
    this.#detach = this.#deps.tools.machines.attach(this.#session.id, {
      execute: (execution) => this.say({ case: "execute", value: toExecuteMessage(execution) }),
      stop: (executionId) => this.say({ case: "stopExecution", value: { executionId } }),
      close: () => this.#queue.close(),
    });
  }

  leave(): void {
    this.#stopHearing();
    this.#detach?.();
    this.#queue.close();
  }

  say(message: MessageInitShape<typeof SessionResponseSchema>["message"] & object, sequence = 0n): void {
    this.#queue.put(create(SessionResponseSchema, { message, sequence }));
  }

  /** Tells what the client missed: results after the last it saw, questions still open, and what waits to be run. */
  async catchUp(lastSequence: number): Promise<void> {
    const { db, registry } = this.#deps.tools.deps;
    for (let after = lastSequence; ;) {
      const page = await listResultsAfter(db, this.#session.id, after, REPLAY_PAGE);
      for (const call of page) this.#result(call, { tool: call.tool, ...endedOf(call) });
      const last = page.at(-1)?.sequence;
      if (page.length < REPLAY_PAGE || last === null || last === undefined) break;
      after = last;
    }
    const { teamId, id: sessionId } = this.#session;
    const open = await listApprovals(db, { teamId, sessionId, states: ["pending"], limit: REPLAY_PAGE });
    for (const approval of open.data.toReversed()) {
      const value = toInteractionQuery(registry, approval);
      if (value !== undefined) this.say({ case: "interactionQuery", value });
    }
    for (const call of await listWaitingCalls(db, sessionId)) this.#watch(this.#follow(call));
    await this.#tellMessages();
  }

  async listen(incoming: AsyncIterator<SessionRequest>): Promise<void> {
    try {
      for (;;) {
        const next = await incoming.next();
        if (next.done === true) break;
        await this.#take(next.value);
      }
    } catch {
      this.#queue.close(); // the client broke off: it may come back with what it saw last
    }
    this.#hasClientEnded = true;
    this.#endWhenIdle();
  }

  async #take({ message }: SessionRequest): Promise<void> {
    const asked = { caller: this.#caller, session: this.#session };
    switch (message.case) {
      case "call":
        this.#watch(
          this.#tell(runClientCall(this.#deps, { ...asked, call: message.value }, this.#signal)),
          message.value.toolCallId,
        );
        return;
      case "agentCall": {
        const agent = { ...asked, call: message.value, toolCallId: "", timeoutMs: undefined };
        this.#watch(this.#tell(runAgentCall(this.#deps, agent, this.#signal)));
        return;
      }
      case "interactionResponse":
      case "answer":
        await this.#orRefuse(async () => {
          if (!hasScope(this.#caller.scopes, "approvals")) {
            throw new AppError("forbidden", 'this key lacks the scope "approvals": it cannot answer');
          }
          const { tools } = this.#deps;
          const sessionId = this.#session.id;
          const answer =
            message.case === "answer"
              ? await readAnswer(tools, this.#caller, { ...message.value, sessionId })
              : await readInteractionResponse(tools, this.#caller, { response: message.value, sessionId });
          const outcome = await tools.answer(answer);
          if (outcome.kind === "too-late") {
            throw new AppError("conflict", `approval ${outcome.approval.id} was ${outcome.approval.state} already`);
          }
        });
        return;
      case "cancel":
        await this.#orRefuse(async () => {
          await this.#deps.tools.cancel(this.#session, message.value.toolCallId);
        }, message.value.toolCallId);
        return;
      case "executionReport":
        await this.#orRefuse(() => {
          if (this.#detach === undefined) {
            throw new AppError("forbidden", "only the machine that opened this stream with `machine` reports work");
          }
          const { executionId } = message.value;
          this.#deps.tools.machines.report(this.#session.id, executionId, readReport(message.value));
          return Promise.resolve();
        });
        return;
      case "heartbeat":
        this.say({ case: "heartbeat", value: {} });
        return;
      case "open":
      case undefined:
        this.say({ case: "refused", value: { code: "invalid_request", message: "the session is open already" } });
    }
  }

  async #tell(events: AsyncIterable<ToolEventMessage>): Promise<void> {
    for await (const event of events) {
      const isLast = event.event.case === "result" || event.event.case === "agentResult";
      const query = event.event.case === "approvalNeeded" ? event.event.value.query : undefined;
      this.say({ case: "event", value: event }, isLast ? await this.#sequenceOf(event.toolCallId) : 0n);
      if (query?.case === "interactionQuery") this.say({ case: "interactionQuery", value: query.value });
    }
  }

  /** Goes on with a call of an earlier stream or process. */
  async #follow(call: ToolCall): Promise<void> {
    const live = await this.#deps.tools.resume(call.id);
    if (live !== undefined) this.#result(call, await live.ended);
  }

  #result(call: ToolCall, ended: EndedCall): void {
    if (this.#told.has(call.id)) return;
    this.#told.add(call.id);
    const value = toClientResult(this.#deps.tools.deps.registry, ended, { toolCallId: call.toolCallId });
    const event = create(ToolEventSchema, { toolCallId: call.toolCallId, event: { case: "result", value } });
    this.say({ case: "event", value: event }, BigInt(ended.call?.sequence ?? 0));
  }

  async #sequenceOf(toolCallId: string): Promise<bigint> {
    const { db } = this.#deps.tools.deps;
    const call = await findToolCall(db, this.#session.id, toolCallId);
    return BigInt(call?.sequence ?? 0);
  }

  async #heard(approvalId: string): Promise<void> {
    const approval = await getApproval(this.#deps.tools.deps.db, this.#session.teamId, approvalId);
    if (approval.answeredAt !== null) await this.#tellMessages();
  }

  async #tellMessages(): Promise<void> {
    const { db, clock } = this.#deps.tools.deps;
    for (const text of await takeSessionMessages(db, this.#session.id, clock.now())) {
      this.say({ case: "userMessage", value: text });
    }
  }

  async #orRefuse(work: () => Promise<void>, toolCallId = ""): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { code, message } = AppError.from(error);
      this.say({ case: "refused", value: { code, message, toolCallId } });
    }
  }

  /** Work that goes on beside the reading; the stream does not end before it. */
  #watch(work: Promise<void>, toolCallId = ""): void {
    this.#openCalls += 1;
    void this.#orRefuse(() => work, toolCallId).finally(() => {
      this.#openCalls -= 1;
      this.#endWhenIdle();
    });
  }

  #endWhenIdle(): void {
    if (this.#hasClientEnded && this.#openCalls === 0) this.#queue.close();
  }
}

function endedOf(call: ToolCall): Omit<EndedCall, "tool"> {
  return { args: call.runArgs, outcome: call.outcome, call } as unknown as EndedCall; // the row of an ended call
}
