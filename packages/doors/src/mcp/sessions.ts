import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type McpServer } from "@modelcontextprotocol/server";
import { createEventMemory } from "./event-memory.ts";

/** Of the oldest sessions, those beyond this many are closed. */
const MAX_SESSIONS = 1_000;
/** A session nobody has used for so long is closed. */
const IDLE_MS = 3_600_000;

/** A connection of a client of 2025-11-25 and before, which goes over many requests. */
interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly mcp: McpServer;
  /** Who began it: nobody else may use it. */
  readonly owner: string;
  usedAt: number;
  readonly close: () => void;
}

/** The sessions of this process. They end with it; clients begin anew, as the protocol has it. */
export class McpSessions {
  readonly #sessions = new Map<string, Session>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many there are. */
  get size(): number {
    return this.#sessions.size;
  }

  /** The session of that id, if it is this caller's. */
  find(id: string, owner: string): WebStandardStreamableHTTPServerTransport | undefined {
    const session = this.#sessions.get(id);
    if (session?.owner !== owner) return undefined;
    session.usedAt = this.#now();
    return session.transport;
  }

  /** Opens one: `make` gives the server that answers in it, and what to do at its end. */
  async open(
    owner: string,
    make: () => { readonly mcp: McpServer; readonly close: () => void },
  ): Promise<WebStandardStreamableHTTPServerTransport> {
    this.#sweep();
    const { mcp, close } = make();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventMemory(),
      retryInterval: 500,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, mcp, owner, usedAt: this.#now(), close });
      },
      onsessionclosed: (id) => this.#end(id),
    });
    await mcp.connect(transport);
    return transport;
  }

  /** Ends all of them: open streams close. */
  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { mcp, close } of open) {
      close();
      await mcp.close();
    }
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.close();
  }

  #sweep(): void {
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const tooMany = oldest.length - MAX_SESSIONS + 1;
    for (const [index, [id, session]] of oldest.entries()) {
      if (index >= tooMany && session.usedAt > this.#now() - IDLE_MS) break;
      this.#end(id);
      void session.mcp.close().catch(() => undefined); // its client is gone
    }
  }
}
