import type { ReactNode } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatDuration } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Badge } from "../../ui/states.tsx";
import type { Exchange } from "./use-exchange.ts";

/** The reply: its status and times, its body, or its events as they come. */
export function ExchangeView({ exchange }: { readonly exchange: Exchange }): ReactNode {
  const { state, status, headersMs, totalMs, requestId, body, events, problem } = exchange;
  return (
    <section className="card stack" aria-label="Reply">
      <div className="row" role="status">
        <h3>Reply</h3>
        {status === undefined ? null : <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>}
        {state === "waiting" ? <Badge tone="live">waiting</Badge> : null}
        {state === "streaming" ? <Badge tone="live">streaming</Badge> : null}
        {headersMs === undefined ? null : (
          <span className="soft small number">
            first byte {formatDuration(headersMs)}
            {totalMs === undefined ? "" : `, whole ${formatDuration(totalMs)}`}
          </span>
        )}
      </div>
      {state === "none" ? <p className="soft">Send the request, and the reply shows here.</p> : null}
      {problem === undefined ? null : <p className="error-text">{problem}</p>}
      {body === undefined ? null : <JsonView text={body} label="Reply body" />}
      {events === undefined ? null : (
        <ol className="stack" aria-label="Events">
          {events.map((event, index) => (
            <li key={index} className="stack">
              <span className="row small">
                <span className="badge plain">{event.type}</span>
                {event.id === undefined ? null : <span className="faint mono clip">{event.id}</span>}
              </span>
              <JsonView text={pretty(event.data)} label={`Event ${index + 1}`} />
            </li>
          ))}
        </ol>
      )}
      {body === undefined ? null : (
        <div className="row">
          <CopyButton text={body} label="Copy the reply" />
          {requestId === undefined ? null : <span className="faint small mono wrap">{requestId}</span>}
        </div>
      )}
    </section>
  );
}

function pretty(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), null, 2);
  } catch {
    return data; // not JSON, such as [DONE]
  }
}
