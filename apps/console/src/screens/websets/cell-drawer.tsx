import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { formatTime, hostOf } from "../../ui/format.ts";
import { Badge } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { putCell } from "./undo-list.ts";
import { historyQuery } from "./use-websets.ts";
import { cellOf, nameOf, type WebsetColumn } from "./webset-columns.ts";
import type { WebsetItem, WebsetReference } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

/** Why a cell holds what it holds: the reasoning, the quotes, what stood there before, and a way to put it right. */
export function CellDrawer(props: {
  readonly websetId: string;
  readonly item: WebsetItem;
  readonly column: WebsetColumn;
  /** Whether the field to put it right has the focus at once. */
  readonly isEditing: boolean;
  readonly onQuote: (url: string) => void;
  readonly close: () => void;
}): ReactNode {
  const { websetId, item, column } = props;
  const cell = cellOf(item, column);
  const source = cell.kind === "verdict" ? cell.evaluation : cell.kind === "value" ? cell.result : undefined;
  return (
    <Dialog kind="panel" title={`${nameOf(item)}: ${column.heading}`} onClose={props.close}>
      <div className="stack loose">
        <section className="stack" aria-label={say("websets.value")}>
          {cell.kind === "verdict" ? <p>{cell.evaluation.satisfied}</p> : null}
          {cell.kind === "value" ? <p className="wrap">{cell.text}</p> : null}
          {cell.kind === "pending" ? <p className="soft">{say("websets.itHasNotBeenLooked")}</p> : null}
          {cell.kind === "empty" ? <p className="soft">{say("websets.nothingWasFound")}</p> : null}
          {source?.quarry === undefined ? null : (
            <p className="row small">
              <Badge tone="plain">{say("websets.byHand")}</Badge>
              {source.quarry.human.by}, {formatTime(source.quarry.human.at)}
              {source.quarry.human.note === null ? "" : `: ${source.quarry.human.note}`}
            </p>
          )}
          {source?.reasoning === undefined || source.reasoning === null ? null : (
            <p className="soft wrap">{source.reasoning}</p>
          )}
        </section>
        <Quotes references={source?.references ?? []} onQuote={props.onQuote} />
        <OverrideForm key={column.key} websetId={websetId} item={item} column={column} isEditing={props.isEditing} />
        <History websetId={websetId} item={item} column={column} />
      </div>
    </Dialog>
  );
}

function Quotes(props: {
  readonly references: readonly WebsetReference[];
  readonly onQuote: (url: string) => void;
}): ReactNode {
  if (props.references.length === 0) return null;
  return (
    <section className="stack" aria-label={say("websets.quotes")}>
      <h3>{say("websets.quotes")}</h3>
      {props.references.map(({ url, title, snippet }, index) => (
        <div key={index} className="stack">
          {snippet === null ? null : <blockquote className="quote">{snippet}</blockquote>}
          <button type="button" className="link small wrap" onClick={() => props.onQuote(url)}>
            {title === null || title === "" ? hostOf(url) : title}
          </button>
        </div>
      ))}
    </section>
  );
}

function OverrideForm(props: {
  readonly websetId: string;
  readonly item: WebsetItem;
  readonly column: WebsetColumn;
  readonly isEditing: boolean;
}): ReactNode {
  const { websetId, item, column, isEditing } = props;
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);
  const queries = useQueryClient();
  const cell = cellOf(item, column);
  const [value, setValue] = useState(
    cell.kind === "value" ? cell.text : cell.kind === "verdict" ? cell.evaluation.satisfied : "",
  );
  const [note, setNote] = useState("");
  const put = useMutation({
    mutationFn: () => putCell(item, { websetId, itemId: item.id, column, value, note: note.trim() }),
    meta: { quiet: true },
    onSuccess: async () => {
      setNote("");
      showToast({ kind: "good", title: say("websets.saved"), text: say("websets.undoHint") });
      await queries.invalidateQueries({ queryKey: ["webset-items", websetId] });
      await queries.invalidateQueries({ queryKey: ["webset-history", websetId] });
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="cell-value">{say("websets.putItRight")}</label>
        {column.kind === "criterion" ? (
          <select
            ref={field}
            id="cell-value"
            className="input"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          >
            {["yes", "no", "unclear"].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <input
            ref={field}
            id="cell-value"
            className="input"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </div>
      <div className="field">
        <label htmlFor="cell-note">{say("websets.note")}</label>
        <input
          id="cell-note"
          className="input"
          maxLength={5_000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
      {put.isError ? (
        <p className="error-text" role="alert">
          {put.error.message}
        </p>
      ) : null}
      <div>
        <button type="submit" className="button" disabled={put.isPending}>
          {say("websets.save")}
        </button>
      </div>
    </form>
  );
}

function History(props: {
  readonly websetId: string;
  readonly item: WebsetItem;
  readonly column: WebsetColumn;
}): ReactNode {
  const { websetId, item, column } = props;
  const of: Readonly<Record<string, string>> =
    column.kind === "criterion" ? { criterion: column.key } : { enrichmentId: column.key };
  const { data } = useQuery(historyQuery(websetId, item.id, of));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className="stack" aria-label={say("websets.history")}>
      <h3>{say("websets.history")}</h3>
      <ul className="stack small" aria-label={say("websets.history")}>
        {data.data.map(({ value, by, note, at }, index) => (
          <li key={index} className="wrap">
            {tell("websets.byAt", {
              strong: (
                <strong>
                  {value === null ? say("websets.nothing") : typeof value === "string" ? value : value.join(", ")}
                </strong>
              ),
              by,
              at: formatTime(at),
            })}
            {note === null ? "" : `: ${note}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
