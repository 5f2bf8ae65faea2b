/**
 * What a key may do. One scope per kind of harm, so that a key handed to a
 * program can do no more than that program needs; each says why it stands alone.
 */
export const SCOPES = {
  all: "Everything, also what later versions add.",
  search: "Read the web and the index: search, contents, answer. Costs money, changes nothing.",
  research: "Start long tasks (research, agent runs): one call may spend much.",
  websets: "Make and change websets, imports, monitors and webhooks; webhooks send data out.",
  index: "Add, crawl and delete documents: changes what the whole team finds.",
  tools: "Ask for tool calls on the machine. Cannot approve them.",
  approvals: "Answer approvals. Apart from tools, so that an agent's key cannot approve its own calls.",
  admin: "Keys, usage, metrics and the audit trail of the team.",
} as const;

/** One right of a key. */
export type Scope = keyof typeof SCOPES;

/** Every scope by name, in the order of the table. */
export const scopeNames = Object.keys(SCOPES) as readonly Scope[];

/** Whether `granted` covers `needed`. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes("all") || granted.includes(needed);
}
