import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDollars, formatNumber, formatTime, hostOf } from "../../ui/format.ts";
import { Badge } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { putCell } from "./undo-list.ts";
import { attemptsQuery, historyQuery } from "./use-websets.ts";
import { cellOf, nameOf, type WebsetColumn } from "./webset-columns.ts";
import type { CellAttempt, WebsetItem, WebsetReference } from "./webset-shapes.ts";
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
            </p>
          )}
          {source?.reasoning === undefined || source.reasoning === null ? null : (
            <p className="soft wrap">{source.reasoning}</p> // of a value set by hand: its note
          )}
        </section>
        <Quotes references={source?.references ?? []} onQuote={props.onQuote} />
        <OverrideForm key={column.key} websetId={websetId} item={item} column={column} isEditing={props.isEditing} />
        <Attempts websetId={websetId} item={item} column={column} />
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
    <Form
      onSubmit={() => put.mutate()}
      error={put.error}
      submit={say("websets.save")}
      isDisabled={put.isPending}
      isQuiet
    >
      <Field id="cell-value" label={say("websets.putItRight")}>
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
      </Field>
      <Field id="cell-note" label={say("websets.note")}>
        <input
          id="cell-note"
          className="input"
          maxLength={5_000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
    </Form>
  );
}

/** How often the cell was judged or filled by Quarry, how that went, and what it cost by the price list. */
function Attempts(props: {
  readonly websetId: string;
  readonly item: WebsetItem;
  readonly column: WebsetColumn;
}): ReactNode {
  const { data } = useQuery(attemptsQuery(props.websetId, props.item.id, props.column));
  if (data === undefined || data.data.length === 0) return null;
  const total = data.data.reduce((sum, { costDollars }) => sum + costDollars, 0);
  return (
    <section className="stack" aria-label={say("websets.attempts")}>
      <h3>{say("websets.attempts")}</h3>
      {data.data.map(({ round, tries, outcome, pages, tokens, costDollars, at }) => (
        <div key={round} className="stack small">
          <p>{say("websets.attempt", { at: formatTime(at), outcome: OUTCOMES[props.column.kind][outcome] })}</p>
          <dl className="facts">
            <dt>{say("websets.tries")}</dt>
            <dd>{formatNumber(tries)}</dd>
            <dt>{say("websets.pagesRead")}</dt>
            <dd>{formatNumber(pages)}</dd>
            <dt>{say("websets.tokens")}</dt>
            <dd>{formatNumber(tokens)}</dd>
            <dt>{say("websets.cost")}</dt>
            <dd>{formatDollars(costDollars)}</dd>
          </dl>
        </div>
      ))}
      {data.data.length < 2 ? null : (
        <p className="small">
          {say("websets.costInAll")} <strong>{formatDollars(total)}</strong>
        </p>
      )}
    </section>
  );
}

const OUTCOMES: Readonly<Record<WebsetColumn["kind"], Readonly<Record<CellAttempt["outcome"], string>>>> = {
  enrichment: {
    filled: say("websets.attemptFilled"),
    empty: say("websets.attemptEmpty"),
    "given-up": say("websets.attemptGivenUp"),
  },
  criterion: {
    filled: say("websets.attemptJudged"),
    empty: say("websets.attemptUnclear"),
    "given-up": say("websets.attemptGivenUp"),
  },
};

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
