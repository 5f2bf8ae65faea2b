import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { resolveSchema, type OpenApiDocument, type Operation } from "../../api/openapi.ts";
import { isRecord } from "../../api/send.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatAgo } from "../../ui/format.ts";
import { showToast } from "../../ui/toasts.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { toCli, toCurl, toExaJs } from "./copy-as.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { buildRequest, missingParameters, type RequestInput } from "./request.ts";
import { addToHistory, keepHistory, loadHistory } from "./request-history.ts";
import { RequestForm } from "./request-form.tsx";
import { startingValue, toField } from "./schema-form.ts";
import { useExchange } from "./use-exchange.ts";
import { say } from "../../words/say.ts";

type View = "json" | "curl" | "exa-js" | "cli";

const VIEWS: readonly (readonly [View, string])[] = [
  ["json", "JSON"],
  ["curl", "curl"],
  ["exa-js", "exa-js"],
  ["cli", "CLI"],
];

/** One endpoint: its form, the request it makes in every spelling, and the reply. */
export function OperationBench(props: {
  readonly document: OpenApiDocument;
  readonly operation: Operation;
  readonly given: RequestInput | undefined;
}): ReactNode {
  const { document, operation, given } = props;
  const navigate = useNavigate();
  const field = useMemo(
    () => (operation.body.kind === "json" ? toField(document, operation.body.schema) : undefined),
    [document, operation],
  );
  const [input, setInput] = useState<RequestInput>(
    () =>
      given ?? {
        parameters: {},
        ...(field === undefined ? {} : { body: exampleOf(document, operation) ?? startingValue(field) }),
      },
  );
  const [file, setFile] = useState<File>();
  const [view, setView] = useState<View>("json");
  const [history, setHistory] = useState(loadHistory);
  const { exchange, start, stop } = useExchange();
  const isSecret = operation.tag === "Session"; // its body is a key: neither in the address nor in the history
  const change = (next: RequestInput): void => {
    setInput(next);
    if (!isSecret) void navigate({ to: "/playground", search: { op: operation.id, input: next }, replace: true });
  };
  const request = buildRequest(operation, input);
  const sendIt = async (): Promise<void> => {
    const missing = missingParameters(operation, input);
    if (missing.length > 0) {
      showToast({
        kind: "bad",
        title: say("playground.somethingIsMissing"),
        text: say("playground.fillInThenSendAgain", { missing: missing.join(" and ") }),
      });
      return;
    }
    const status = await start(request, file);
    if (status === undefined || isSecret) return;
    const next = addToHistory(loadHistory(), { op: operation.id, input, status, at: new Date().toISOString() });
    keepHistory(next);
    setHistory(next);
  };
  const past = history.filter(({ op }) => op === operation.id);
  return (
    <div
      className="stack"
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void sendIt();
      }}
    >
      <div>
        <h2 className="wrap">
          <code>
            {operation.method} {operation.path}
          </code>
        </h2>
        <p>{operation.summary}</p>
        {operation.description === "" ? null : (
          <p className="soft">
            <Prose text={operation.description} />
          </p>
        )}
      </div>
      <div className="bench">
        <section className="card stack" aria-label={say("playground.request")}>
          <RequestForm operation={operation} field={field} input={input} onChange={change} onFile={setFile} />
          {past.length === 0 ? null : (
            <details>
              <summary>{say("playground.sentBefore", { count: past.length })}</summary>
              <ul className="stack">
                {past.map((one) => (
                  <li key={one.at}>
                    <button type="button" className="button quiet small" onClick={() => change(one.input)}>
                      {one.status} · {formatAgo(one.at, new Date())} ·{" "}
                      <span className="clip mono">
                        {JSON.stringify(one.input.body ?? one.input.parameters).slice(0, 60)}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </section>
        <div className="stack beside">
          <section className="card stack" aria-label={say("playground.requestAsCode")}>
            <div className="row">
              <button type="button" className="button primary" onClick={() => void sendIt()}>
                {say("playground.send")}
              </button>
              {exchange.state === "waiting" || exchange.state === "streaming" ? (
                <button type="button" className="button" onClick={stop}>
                  {say("playground.stop")}
                </button>
              ) : null}
              <span className="hint">
                <kbd>Ctrl</kbd> <kbd>Enter</kbd>
              </span>
            </div>

            <Tabs label={say("playground.spelling")} tabs={VIEWS} chosen={view} onChoose={setView} />
            <CodeView view={view} operation={operation} input={input} onChange={change} />
          </section>
          <ExchangeView exchange={exchange} />
        </div>
      </div>
    </div>
  );
}

/** Text in which `code` stands between backticks. */
function Prose({ text }: { readonly text: string }): ReactNode {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}

function CodeView(props: {
  readonly view: View;
  readonly operation: Operation;
  readonly input: RequestInput;
  readonly onChange: (input: RequestInput) => void;
}): ReactNode {
  const { view, operation, input } = props;
  const written = { operation, input, origin: location.origin };
  if (view === "json") {
    return operation.body.kind === "json" ? (
      <JsonEditor key={operation.id} input={input} onChange={props.onChange} />
    ) : (
      <JsonView label={say("playground.request")} text={`${operation.method} ${buildRequest(operation, input).path}`} />
    );
  }
  const text = view === "curl" ? toCurl(written) : view === "exa-js" ? toExaJs(written) : toCli(written);
  if (text === undefined) return <p className="soft">{say("playground.noCommandDoesThisUse")}</p>;
  return (
    <>
      <pre className="code-block" tabIndex={0} role="region" aria-label={say("playground.requestAs", { view })}>
        {text}
      </pre>
      <div>
        <CopyButton text={text} label={say("playground.copyAs", { view })} />
      </div>
    </>
  );
}

/** The body as JSON, live with the form: each changes the other. */
function JsonEditor(props: {
  readonly input: RequestInput;
  readonly onChange: (input: RequestInput) => void;
}): ReactNode {
  const { input, onChange } = props;
  const [draft, setDraft] = useState<string>();
  return (
    <div className="field">
      <label htmlFor="request-json" className="hidden-label">
        {say("playground.bodyAsJSON")}
      </label>
      <textarea
        id="request-json"
        className="input code"
        rows={Math.max(5, Math.min(24, JSON.stringify(input.body ?? {}, null, 2).split("\n").length + 1))}
        spellCheck={false}
        aria-invalid={draft !== undefined}
        value={draft ?? JSON.stringify(input.body ?? {}, null, 2)}
        onChange={(event) => {
          try {
            const body: unknown = JSON.parse(event.target.value);
            setDraft(undefined);
            onChange({ ...input, body });
          } catch {
            setDraft(event.target.value); // half typed: the last whole value stays
          }
        }}
      />
      {draft === undefined ? null : <p className="error-text">{say("playground.notJSONYetTheLast")}</p>}
    </div>
  );
}

/** The first example that the schema gives, if any. */
function exampleOf(document: OpenApiDocument, { body }: Operation): unknown {
  if (body.kind !== "json") return undefined;
  const { examples } = resolveSchema(document, body.schema);
  return Array.isArray(examples) && isRecord(examples[0]) ? examples[0] : undefined;
}
