import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatTime } from "../../ui/format.ts";
import { Badge, SkeletonLines, Trouble, type Tone } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import type { ToolSession } from "./approval-shapes.ts";

const LOOK_AGAIN_MS = 1_000;
const TODO_TONES: Readonly<Record<string, Tone>> = { in_progress: "live", completed: "good", cancelled: "idle" };

/** One session as it goes on: what the agent means to do, and the terminals that it has open. */
export function SessionPanel({ id, close }: { readonly id: string; readonly close: () => void }): ReactNode {
  const session = useQuery({
    queryKey: ["tool-session", id],
    queryFn: ({ signal }) => send<ToolSession>(`/quarry/v1/sessions/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.closedAt === null ? LOOK_AGAIN_MS : false),
  });
  return (
    <Dialog kind="panel" title={session.data?.name ?? id} onClose={close}>
      {session.isError ? <Trouble error={session.error} retry={() => void session.refetch()} /> : null}
      {session.data === undefined ? <SkeletonLines lines={5} /> : <Parts session={session.data} />}
    </Dialog>
  );
}

function Parts({ session }: { readonly session: ToolSession }): ReactNode {
  const todos = session.todos.filter(isRecord);
  const terminals = session.terminals.filter(isRecord);
  return (
    <div className="stack loose">
      <p className="row small">
        <Badge tone={session.closedAt === null ? "live" : "idle"}>
          {session.closedAt === null ? say("approvals.open") : say("approvals.closed")}
        </Badge>
        <span className="wrap mono">{session.workspaceRoot}</span>
        <span className="soft">{formatTime(session.updatedAt)}</span>
      </p>
      <section className="stack" aria-label={say("approvals.todos")}>
        <h3>{say("approvals.todos")}</h3>
        {todos.length === 0 ? <p className="soft">{say("approvals.noTodos")}</p> : null}
        <ul className="stack" aria-label={say("approvals.todos")}>
          {todos.map((todo, index) => (
            <li key={index} className="row">
              <Badge tone={TODO_TONES[textOf(todo, "status")] ?? "plain"}>
                {textOf(todo, "status").replace("_", " ")}
              </Badge>
              <span className="wrap grow">{textOf(todo, "content")}</span>
            </li>
          ))}
        </ul>
      </section>
      <section className="stack" aria-label={say("approvals.terminals")}>
        <h3>{say("approvals.terminals")}</h3>
        {terminals.length === 0 ? <p className="soft">{say("approvals.noTerminals")}</p> : null}
        {terminals.map((terminal, index) => (
          <pre key={index} className="code-block" tabIndex={0}>
            {writeTerminal(terminal)}
          </pre>
        ))}
      </section>
    </div>
  );
}

/** The command on a line of its own, then what it wrote; whatever else is known, by its name. */
function writeTerminal(terminal: Readonly<Record<string, unknown>>): string {
  const { command, output, ...rest } = terminal;
  const known = Object.entries(rest)
    .filter(([, value]) => typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    .map(([name, value]) => `# ${name}: ${String(value)}`);
  return [...(typeof command === "string" ? [`$ ${command}`] : []), ...known, typeof output === "string" ? output : ""]
    .join("\n")
    .trim();
}

function textOf(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}
