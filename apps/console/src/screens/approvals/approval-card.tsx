import { useState, type ReactNode } from "react";
import { isRecord } from "../../api/send.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { formatAgo } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Badge, type Tone } from "../../ui/states.tsx";
import type { Approval, Decision } from "./approval-shapes.ts";
import type { Answering } from "./use-approvals.ts";
import { say } from "../../words/say.ts";

const RISK_TONES: Readonly<Record<Approval["risk"], Tone>> = { low: "good", medium: "warn", high: "bad" };
const DECISIONS: readonly (readonly [Decision, string])[] = [
  ["once", say("approvals.once")],
  ["session", say("approvals.forTheSession")],
  ["always", say("approvals.always")],
];

/** One question: who asks, what would run with which arguments, where it goes, why it is asked, and the answers. */
export function ApprovalCard(props: {
  readonly approval: Approval;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly isBusy: boolean;
  readonly onAnswer: (answering: Omit<Answering, "approvals">) => void;
}): ReactNode {
  const { approval, isBusy, onAnswer } = props;
  const written = JSON.stringify({ ...approval.query.args, toolCallId: undefined }, null, 2); // the call keeps its name
  const [edited, setEdited] = useState<string>();
  const [reason, setReason] = useState("");
  const wish = edited === undefined || edited === written ? undefined : readArgs(edited);
  return (
    <article
      className="card stack"
      aria-label={say("approvals.of", { tool: approval.tool, sessionId: approval.sessionId })}
    >
      <div className="row spread">
        <label className="check">
          <input type="checkbox" checked={props.isChosen} onChange={(event) => props.onChoose(event.target.checked)} />
          <strong>{approval.tool}</strong>
        </label>
        <span className="row small soft">
          <Badge tone={RISK_TONES[approval.risk]}>{say("approvals.risk", { risk: approval.risk })}</Badge>
          <span>{formatAgo(approval.createdAt, new Date())}</span>
        </span>
      </div>
      <dl className="facts small">
        <Fact name={say("approvals.who")} values={[approval.caller]} />
        <dt>{say("approvals.session")}</dt>
        <dd className="wrap mono">{approval.sessionId}</dd>
        <Fact name={say("approvals.hosts")} values={approval.hosts} />
        <Fact name={say("approvals.paths")} values={approval.paths} />
        <Fact name={say("approvals.whyAsked")} values={approval.reasons} />
      </dl>
      {edited === undefined ? (
        <JsonView label={say("approvals.arguments")} text={written} />
      ) : (
        <textarea
          className="input code"
          aria-label={say("approvals.argumentsAsJSON")}
          aria-invalid={wish === "broken"}
          rows={Math.min(14, written.split("\n").length + 1)}
          spellCheck={false}
          value={edited}
          onChange={(event) => setEdited(event.target.value)}
        />
      )}
      {wish === "broken" ? (
        <p className="error-text" role="alert">
          {say("approvals.theArgumentsAreNotA")}
        </p>
      ) : null}
      {approval.diff === null ? null : <DiffView label={say("approvals.diff")} diff={approval.diff} />}
      <div className="row">
        {DECISIONS.filter(([decision]) => approval.choices.includes(decision)).map(([decision, words]) => (
          <button
            key={decision}
            type="button"
            className={decision === "once" ? "button primary" : "button"}
            disabled={isBusy || wish === "broken"}
            onClick={() => onAnswer({ decision, ...(wish === undefined || wish === "broken" ? {} : { args: wish }) })}
          >
            {words}
          </button>
        ))}
        <button
          type="button"
          className="button quiet"
          onClick={() => setEdited(edited === undefined ? written : undefined)}
        >
          {edited === undefined ? say("approvals.editTheArguments") : say("approvals.leaveThemAsTheyWere")}
        </button>
      </div>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer({ decision: "reject", reason });
        }}
      >
        <input
          className="input grow"
          aria-label={say("approvals.reason")}
          placeholder={say("approvals.whyNotAndWhatTo")}
          maxLength={4_000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <button type="submit" className="button danger" disabled={isBusy}>
          {say("approvals.reject")}
        </button>
      </form>
    </article>
  );
}

function Fact({ name, values }: { readonly name: string; readonly values: readonly string[] }): ReactNode {
  if (values.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="wrap">{values.join(", ")}</dd>
    </>
  );
}

function readArgs(text: string): Readonly<Record<string, unknown>> | "broken" {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "broken";
  } catch {
    return "broken"; // said below the field
  }
}
