import type { ReactNode } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatDuration } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Badge } from "../../ui/states.tsx";
import type { Exchange } from "./use-exchange.ts";
import { say } from "../../words/say.ts";

/** The reply: its status and times, its body, or its events as they come. */
export function ExchangeView({ exchange }: { readonly exchange: Exchange }): ReactNode {
  const { state, status, headersMs, totalMs, requestId, body, events, problem } = exchange;
  return (
    <section className="card stack" aria-label={say("playground.reply")}>
      <div className="row" role="status">
        <h3>{say("playground.reply")}</h3>
        {status === undefined ? null : <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>}
        {state === "waiting" ? <Badge tone="live">{say("playground.waiting")}</Badge> : null}
        {state === "streaming" ? <Badge tone="live">{say("playground.streaming")}</Badge> : null}
        {headersMs === undefined ? null : (
          <span className="soft small number">
            {say("playground.firstByte", { headersMs: formatDuration(headersMs) })}

            {totalMs === undefined ? "" : say("playground.whole", { totalMs: formatDuration(totalMs) })}
          </span>
        )}
      </div>
      {state === "none" ? <p className="soft">{say("playground.sendTheRequestAndThe")}</p> : null}
      {problem === undefined ? null : <p className="error-text">{problem}</p>}
      {body === undefined ? null : <JsonView text={body} label={say("playground.replyBody")} />}
      {events === undefined ? null : (
        <ol className="stack" aria-label={say("playground.events")}>
          {events.map((event, index) => (
            <li key={index} className="stack">
              <span className="row small">
                <span className="badge plain">{event.type}</span>
                {event.id === undefined ? null : <span className="faint mono clip">{event.id}</span>}
              </span>
              <JsonView text={pretty(event.data)} label={say("playground.event", { index: index + 1 })} />
            </li>
          ))}
        </ol>
      )}
      {body === undefined ? null : (
        <div className="row">
          <CopyButton text={body} label={say("playground.copyTheReply")} />
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
