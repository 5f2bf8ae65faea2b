import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { send } from "../../api/send.ts";
import { formatTime } from "../../ui/format.ts";
import { Badge, Trouble, type Tone } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import type { Terminal } from "./approval-shapes.ts";

const LOOK_AGAIN_MS = 1_000;
const TONES: Readonly<Record<Terminal["state"], Tone>> = {
  running: "live",
  exited: "good",
  stopped: "idle",
  failed: "bad",
  unknown: "warn",
};

/** One terminal of a session as it goes on: its command, what it wrote so far, and a way to end it. */
export function TerminalView(props: { readonly sessionId: string; readonly terminal: Terminal }): ReactNode {
  const { sessionId, terminal } = props;
  const queries = useQueryClient();
  const path = `/quarry/v1/sessions/${encodeURIComponent(sessionId)}/shells/${terminal.id}`;
  const shell = useQuery({
    queryKey: ["tool-shell", sessionId, terminal.id, terminal.state],
    queryFn: ({ signal }) => send<Terminal & { readonly output: string }>(path, { signal }),
    refetchInterval: terminal.state === "running" ? LOOK_AGAIN_MS : false,
    placeholderData: (before) => before,
  });
  const stop = useMutation({
    mutationFn: () => send(`${path}/stop`, { method: "POST" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["tool-session", sessionId] }),
  });
  return (
    <section className="stack" aria-label={say("approvals.terminalOf", { command: terminal.command })}>
      <div className="row spread">
        <span className="row small">
          <Badge tone={TONES[terminal.state]}>{terminal.state}</Badge>
          {terminal.exitCode === null ? null : (
            <span>{say("approvals.exitCode", { code: String(terminal.exitCode) })}</span>
          )}
          <span className="soft">{formatTime(terminal.startedAt)}</span>
          <span className="soft mono wrap">{terminal.cwd}</span>
        </span>
        {terminal.state === "running" ? (
          <button type="button" className="button small danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
            {say("approvals.endTerminal")}
          </button>
        ) : null}
      </div>
      {shell.isError ? <Trouble error={shell.error} retry={() => void shell.refetch()} /> : null}
      <pre className="code-block" tabIndex={0}>
        {`$ ${terminal.command}\n${shell.data?.output ?? ""}`}
      </pre>
    </section>
  );
}
