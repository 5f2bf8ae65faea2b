import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Badge, EmptyState, SkeletonLines, Trouble, type Tone } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import type { Approval, Decision, ToolSession } from "./approval-shapes.ts";
import { AuditLog } from "./audit-log.tsx";
import { Rules } from "./rules.tsx";
import { SessionPanel } from "./session-panel.tsx";
import { pendingQuery, recentQuery, sessionsQuery, useAnswerApprovals } from "./use-approvals.ts";
import { say } from "../../words/say.ts";

const route = getRouteApi("/approvals");

const TONES: Readonly<Record<Approval["status"], Tone>> = {
  pending: "live",
  granted: "good",
  used: "good",
  rejected: "bad",
  expired: "idle",
  withdrawn: "idle",
};

/** Questions about tool calls that wait for a person, what was said to earlier ones, the sessions, and the audit log. */
export function ApprovalsScreen(): ReactNode {
  const { view = "inbox" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={say("approvals.approvals")} lead={say("approvals.toolCallsThatPolicyDoes")}>
      <Tabs
        label={say("approvals.parts")}
        tabs={[
          ["inbox", say("approvals.inbox")],
          ["answered", say("approvals.answered")],
          ["rules", say("approvals.rules")],
          ["sessions", say("approvals.sessions")],
          ["audit", say("approvals.auditLog")],
        ]}
        chosen={view}
        onChoose={(next) => void navigate({ search: { view: next === "inbox" ? undefined : next } })}
      />
      {view === "inbox" ? <Inbox /> : null}
      {view === "answered" ? <Answered /> : null}
      {view === "rules" ? <Rules /> : null}
      {view === "sessions" ? <Sessions /> : null}
      {view === "audit" ? <AuditLog /> : null}
    </Page>
  );
}

function Inbox(): ReactNode {
  const pending = useQuery(pendingQuery);
  const answer = useAnswerApprovals();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [reason, setReason] = useState("");
  if (pending.isError) return <Trouble error={pending.error} retry={() => void pending.refetch()} />;
  if (pending.data === undefined) return <SkeletonLines lines={5} />;
  const approvals = pending.data.data;
  if (approvals.length === 0) {
    return (
      <section className="card">
        <EmptyState icon="approvals" title={say("approvals.nothingWaitsForYou")}>
          <p>{say("approvals.whenAnAgentAsksFor")}</p>
        </EmptyState>
      </section>
    );
  }
  const some = approvals.filter(({ id }) => chosen.has(id));
  const sayToSome = (decision: Decision): void => {
    answer.mutate({ approvals: some, decision, reason });
    setChosen(new Set());
  };
  return (
    <section className="stack" aria-label={say("approvals.questions")} aria-busy={answer.isPending}>
      <div className="row">
        <label className="check">
          <input
            type="checkbox"
            checked={some.length === approvals.length}
            onChange={(event) => setChosen(new Set(event.target.checked ? approvals.map(({ id }) => id) : []))}
          />
          {some.length === 0
            ? say("approvals.all", { count: approvals.length })
            : say("approvals.ofChosen", { count: some.length, count2: approvals.length })}
        </label>
        <span className="row grow" role="group" aria-label={say("approvals.answerTheChosenOnes")}>
          <input
            className="input reason"
            aria-label={say("approvals.reasonForAll")}
            placeholder={say("approvals.reason")}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <button type="button" className="button" disabled={some.length === 0} onClick={() => sayToSome("once")}>
            {say("approvals.approveChosenOnce")}
          </button>
          <button
            type="button"
            className="button danger"
            disabled={some.length === 0}
            onClick={() => sayToSome("reject")}
          >
            {say("approvals.rejectChosen")}
          </button>
        </span>
      </div>
      {approvals.map((approval) => (
        <ApprovalCard
          key={approval.id}
          approval={approval}
          isChosen={chosen.has(approval.id)}
          isBusy={answer.isPending}
          onChoose={(isChosen) => {
            const next = new Set(chosen);
            if (isChosen) next.add(approval.id);
            else next.delete(approval.id);
            setChosen(next);
          }}
          onAnswer={(answering) => answer.mutate({ approvals: [approval], ...answering })}
        />
      ))}
    </section>
  );
}

function Answered(): ReactNode {
  const recent = useQuery(recentQuery);
  if (recent.isError) return <Trouble error={recent.error} retry={() => void recent.refetch()} />;
  if (recent.data === undefined) return <SkeletonLines lines={5} />;
  return (
    <section className="card flush" aria-label={say("approvals.answered")}>
      <DataTable
        label={say("approvals.answeredQuestions")}
        columns={ANSWERED_COLUMNS}
        rows={recent.data.data.filter(({ status }) => status !== "pending")}
        rowKey={({ id }) => id}
        empty={say("approvals.noQuestionHasBeenAnswered")}
      />
    </section>
  );
}

function Sessions(): ReactNode {
  const sessions = useQuery(sessionsQuery);
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  if (sessions.isError) return <Trouble error={sessions.error} retry={() => void sessions.refetch()} />;
  if (sessions.data === undefined) return <SkeletonLines lines={5} />;
  return (
    <section className="card flush" aria-label={say("approvals.sessions")}>
      <DataTable
        label={say("approvals.sessionsOfToolCalls")}
        columns={SESSION_COLUMNS}
        rows={sessions.data.data}
        rowKey={({ id }) => id}
        empty={say("approvals.noAgentHasOpenedA")}
      />
      {id === undefined ? null : (
        <SessionPanel id={id} close={() => void navigate({ search: { view: "sessions" }, replace: true })} />
      )}
    </section>
  );
}

const ANSWERED_COLUMNS: readonly Column<Approval>[] = [
  { id: "tool", heading: say("approvals.tool"), value: ({ tool }) => tool },
  {
    id: "status",
    heading: say("approvals.status"),
    value: ({ status }) => status,
    cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge>,
  },
  { id: "decision", heading: say("approvals.answer"), value: ({ decision }) => decision ?? "–" },
  { id: "reason", heading: say("approvals.reason"), isText: true, value: ({ reason }) => reason ?? "" },
  { id: "by", heading: say("approvals.by"), value: ({ answeredBy }) => answeredBy ?? "–" },
  { id: "host", heading: say("approvals.hosts"), isText: true, value: ({ hosts }) => hosts.join(", ") },
  {
    id: "asked",
    heading: say("approvals.asked"),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => formatAgo(createdAt, new Date()),
  },
];

const SESSION_COLUMNS: readonly Column<ToolSession>[] = [
  {
    id: "id",
    heading: say("approvals.session"),
    value: ({ name, id }) => name ?? id,
    cell: ({ name, id }) => (
      <Link className="wrap mono" to="/approvals" search={{ view: "sessions", id }}>
        {name ?? id}
      </Link>
    ),
  },
  { id: "mode", heading: say("approvals.mode"), value: ({ mode }) => mode },
  { id: "root", heading: say("approvals.workspace"), isText: true, value: ({ workspaceRoot }) => workspaceRoot },
  { id: "todos", heading: say("approvals.todos"), isNumber: true, value: ({ todos }) => todos.length },
  { id: "terminals", heading: say("approvals.terminals"), isNumber: true, value: ({ terminals }) => terminals.length },
  {
    id: "state",
    heading: say("approvals.state"),
    value: ({ closedAt }) => (closedAt === null ? "open" : "closed"),
    cell: ({ closedAt }) => (
      <Badge tone={closedAt === null ? "live" : "idle"}>
        {closedAt === null ? say("approvals.open") : say("approvals.closed")}
      </Badge>
    ),
  },
  {
    id: "updated",
    heading: say("approvals.lastUsed"),
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => formatAgo(updatedAt, new Date()),
  },
];
