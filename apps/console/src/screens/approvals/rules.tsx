import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Field, Form } from "../../ui/form.tsx";
import { Badge, SkeletonLines, Trouble, type Tone } from "../../ui/states.tsx";
import { sayCount } from "../../words/say-count.ts";
import { say } from "../../words/say.ts";
import type { Approval } from "./approval-shapes.ts";
import { recentQuery } from "./use-approvals.ts";

interface ToolRule {
  readonly id: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly createdBy: string;
  readonly createdAt: string;
}

interface Explanation {
  readonly decision: "allow" | "ask" | "deny" | "invalid";
  readonly reason: string;
  readonly rules: readonly { readonly id: string; readonly source: string; readonly decision: string }[];
}

interface Trial {
  readonly call: Approval;
  readonly explanation: Explanation;
}

const TONES: Readonly<Record<Explanation["decision"], Tone>> = {
  allow: "good",
  ask: "warn",
  deny: "bad",
  invalid: "idle",
};
/** Past calls that a trial asks policy about. */
const MOST_TRIALS = 20;
const FIELDS = ["tools", "hosts", "paths", "commands"] as const;
const FIELD_WORDS: Readonly<Record<(typeof FIELDS)[number], string>> = {
  tools: say("approvals.ruleTools"),
  hosts: say("approvals.ruleHosts"),
  paths: say("approvals.rulePaths"),
  commands: say("approvals.ruleCommands"),
};

/** The rules that let calls through, a form for another one, and what policy says of past calls as the rules are now. */
export function Rules(): ReactNode {
  const queries = useQueryClient();
  const rules = useQuery({
    queryKey: ["tool-rules"],
    queryFn: ({ signal }) => send<{ readonly data: readonly ToolRule[] }>("/quarry/v1/tool-rules", { signal }),
  });
  const forget = useMutation({
    mutationFn: (id: string) => send(`/quarry/v1/tool-rules/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["tool-rules"] }),
  });
  const columns: readonly Column<ToolRule>[] = [
    {
      id: "match",
      heading: say("approvals.ruleLets"),
      isText: true,
      value: ({ match }) => writeMatch(match),
      cell: ({ match }) => <span className="wrap">{writeMatch(match)}</span>,
    },
    { id: "by", heading: say("approvals.by"), value: ({ createdBy }) => createdBy },
    {
      id: "made",
      heading: say("approvals.ruleMade"),
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => formatAgo(createdAt, new Date()),
    },
    {
      id: "forget",
      heading: say("approvals.ruleForget"),
      value: () => "",
      cell: ({ id, match }) => (
        <button
          type="button"
          className="button small"
          aria-label={say("approvals.ruleForgetOf", { rule: writeMatch(match) })}
          disabled={forget.isPending}
          onClick={() => forget.mutate(id)}
        >
          {say("approvals.ruleForget")}
        </button>
      ),
    },
  ];
  return (
    <div className="stack loose">
      <section className="card flush" aria-label={say("approvals.rules")}>
        {rules.isError ? <Trouble error={rules.error} retry={() => void rules.refetch()} /> : null}
        {rules.data === undefined ? (
          <SkeletonLines lines={3} />
        ) : (
          <DataTable
            label={say("approvals.savedRules")}
            columns={columns}
            rows={rules.data.data}
            rowKey={({ id }) => id}
            empty={say("approvals.noRules")}
          />
        )}
      </section>
      <NewRule />
      <Simulator />
    </div>
  );
}

function NewRule(): ReactNode {
  const queries = useQueryClient();
  const [wish, setWish] = useState<Readonly<Record<string, string>>>({});
  const make = useMutation({
    mutationFn: () => {
      const match = Object.fromEntries(
        FIELDS.flatMap((name) => {
          const parts = (wish[name] ?? "").split(",").map((part) => part.trim());
          const said = parts.filter((part) => part !== "");
          return said.length === 0 ? [] : [[name, said]];
        }),
      );
      return send("/quarry/v1/tool-rules", { method: "POST", body: { match } });
    },
    meta: { quiet: true },
    onSuccess: async () => {
      setWish({});
      await queries.invalidateQueries({ queryKey: ["tool-rules"] });
    },
  });
  return (
    <section className="card stack" aria-label={say("approvals.newRule")}>
      <h2>{say("approvals.newRule")}</h2>
      <p className="soft">{say("approvals.newRuleHint")}</p>
      <Form
        onSubmit={() => make.mutate()}
        error={make.error}
        submit={say("approvals.addRule")}
        isDisabled={make.isPending}
      >
        <div className="grid">
          {FIELDS.map((name) => (
            <Field key={name} id={`rule-${name}`} label={FIELD_WORDS[name]}>
              <input
                id={`rule-${name}`}
                className="input"
                value={wish[name] ?? ""}
                onChange={(event) => setWish({ ...wish, [name]: event.target.value })}
              />
            </Field>
          ))}
        </div>
      </Form>
    </section>
  );
}

function Simulator(): ReactNode {
  const recent = useQuery(recentQuery);
  const calls = (recent.data?.data ?? []).slice(0, MOST_TRIALS);
  const trial = useMutation({
    mutationFn: () =>
      Promise.all(
        calls.map(async (call): Promise<Trial> => ({
          call,
          explanation: await send<Explanation>(
            `/quarry/v1/tools/${encodeURIComponent(call.tool)}/explain?sessionId=${encodeURIComponent(call.sessionId)}`,
            { method: "POST", body: call.query.args },
          ),
        })),
      ),
  });
  return (
    <section className="card stack" aria-label={say("approvals.simulator")}>
      <div className="row spread">
        <div>
          <h2>{say("approvals.simulator")}</h2>
          <p className="soft">{say("approvals.simulatorHint")}</p>
        </div>
        <button
          type="button"
          className="button"
          disabled={calls.length === 0 || trial.isPending}
          onClick={() => trial.mutate()}
        >
          {sayCount("approvals.tryCalls", calls.length)}
        </button>
      </div>
      {trial.data === undefined ? null : (
        <DataTable
          label={say("approvals.trials")}
          columns={TRIAL_COLUMNS}
          rows={trial.data}
          rowKey={({ call }) => call.id}
          empty={say("approvals.noQuestionHasBeenAnswered")}
        />
      )}
    </section>
  );
}

const TRIAL_COLUMNS: readonly Column<Trial>[] = [
  { id: "tool", heading: say("approvals.tool"), value: ({ call }) => call.tool },
  {
    id: "args",
    heading: say("approvals.arguments"),
    isText: true,
    value: ({ call }) => JSON.stringify(call.query.args),
    cell: ({ call }) => <span className="wrap mono small">{JSON.stringify(call.query.args)}</span>,
  },
  { id: "then", heading: say("approvals.thenWas"), value: ({ call }) => call.decision ?? call.status },
  {
    id: "now",
    heading: say("approvals.nowWouldBe"),
    value: ({ explanation }) => explanation.decision,
    cell: ({ explanation }) => <Badge tone={TONES[explanation.decision]}>{explanation.decision}</Badge>,
  },
  { id: "why", heading: say("approvals.why"), isText: true, value: ({ explanation }) => explanation.reason },
];

function writeMatch(match: Readonly<Record<string, unknown>>): string {
  return Object.entries(match)
    .map(
      ([name, value]) =>
        `${name}: ${Array.isArray(value) ? value.join(", ") : isRecord(value) ? JSON.stringify(value) : String(value)}`,
    )
    .join("; ");
}
