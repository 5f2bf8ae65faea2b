import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { say } from "../words/say.ts";

/** What a place that holds nothing yet says: what would be here, and how to get it there. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      {props.children}
      {props.actions === undefined ? null : <div className="row">{props.actions}</div>}
    </div>
  );
}

/** What went wrong, in the server's words, with a way to try again. */
export function Trouble({
  error,
  retry,
}: {
  readonly error: Error;
  readonly retry?: (() => void) | undefined;
}): ReactNode {
  return (
    <div className="notice bad" role="alert">
      <Icon name="warn" />
      <div className="grow wrap">{error.message}</div>
      {retry === undefined ? null : (
        <button type="button" className="button small" onClick={retry}>
          {say("ui.tryAgain")}
        </button>
      )}
    </div>
  );
}

/** Grey lines where text will be, so that nothing jumps when it comes. */
export function SkeletonLines({
  lines,
  label = say("ui.loading"),
}: {
  readonly lines: number;
  readonly label?: string;
}): ReactNode {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="skeleton" style={{ width: `${96 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** How a thing stands, in colour and in a word. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** How good or bad a state is. */
export type Tone = "good" | "warn" | "bad" | "live" | "idle" | "plain";
