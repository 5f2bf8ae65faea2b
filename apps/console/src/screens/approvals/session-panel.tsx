import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatTime } from "../../ui/format.ts";
import { Badge, SkeletonLines, Trouble, type Tone } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import type { ToolSession } from "./approval-shapes.ts";
import { TerminalView } from "./terminal-view.tsx";

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
        {session.terminals.length === 0 ? <p className="soft">{say("approvals.noTerminals")}</p> : null}
        {session.terminals.map((terminal) => (
          <TerminalView key={terminal.id} sessionId={session.id} terminal={terminal} />
        ))}
      </section>
    </div>
  );
}

function textOf(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}
