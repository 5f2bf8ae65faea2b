/** A question about a tool call. */
export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  /** Whose key made the call. */
  readonly caller: string;
  readonly tool: string;
  readonly status: "pending" | "granted" | "used" | "rejected" | "expired" | "withdrawn";
  readonly query: { readonly type: string; readonly args: Readonly<Record<string, unknown>> };
  readonly reasons: readonly string[];
  readonly risk: "low" | "medium" | "high";
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly diff: string | null;
  readonly choices: readonly string[];
  readonly decision: string | null;
  readonly reason: string | null;
  readonly answeredBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly answeredAt: string | null;
}

/** What one can say to a question. */
export type Decision = "once" | "session" | "always" | "reject";

/** A session of tool calls. */
export interface ToolSession {
  readonly id: string;
  readonly name: string | null;
  readonly workspaceRoot: string;
  readonly mode: string;
  readonly todos: readonly unknown[];
  readonly terminals: readonly Terminal[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
}

/** What a session left running on the server. */
export interface Terminal {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly state: "running" | "exited" | "stopped" | "failed" | "unknown";
  readonly exitCode: number | null;
  readonly startedAt: string;
}

/** One entry of the audit log. */
export interface AuditRecord {
  readonly sequence: number;
  readonly entry: string;
  readonly hash: string;
}
