import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { Icon } from "../../ui/icon.tsx";
import { Trouble } from "../../ui/states.tsx";

interface ModelTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly reply: string | null;
  readonly error: string | null;
}

/** A chat endpoint of one's own: asked once, live, and kept when it answers. Quarry works without. */
export function ModelStep(): ReactNode {
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const [model, setModel] = useState("");
  const endpoint = { url: url.trim(), ...(key === "" ? {} : { key }), ...(model === "" ? {} : { model }) };
  const test = useMutation({
    mutationFn: () => send<ModelTest>("/quarry/v1/model/test", { method: "POST", body: endpoint }),
  });
  const keep = useMutation({
    mutationFn: () => send<{ file: string }>("/quarry/v1/model", { method: "PUT", body: endpoint }),
  });
  const change = (set: (value: string) => void, value: string): void => {
    set(value);
    test.reset(); // what was tested is not what stands there now
    keep.reset();
  };
  return (
    <section className="card stack loose">
      <p>
        Quarry searches, answers and researches without a language model. With one, answers are written rather than
        quoted. Any endpoint that speaks OpenAI’s protocol will do: Ollama, llama.cpp, vLLM, LM Studio, a paid one.
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          test.mutate();
        }}
      >
        <div className="field">
          <label htmlFor="model-url">Address</label>
          <input
            id="model-url"
            className="input"
            type="url"
            required
            placeholder="http://127.0.0.1:11434/v1"
            value={url}
            onChange={(event) => change(setUrl, event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="model-name">Model</label>
          <input
            id="model-name"
            className="input"
            placeholder="the name it has there"
            value={model}
            onChange={(event) => change(setModel, event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="model-key">Key, if it wants one</label>
          <input
            id="model-key"
            className="input"
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => change(setKey, event.target.value)}
          />
        </div>
        <div className="row">
          <button type="submit" className="button" disabled={test.isPending}>
            {test.isPending ? "Asking it…" : "Test it"}
          </button>
        </div>
      </form>
      {test.isError ? <Trouble error={test.error} /> : null}
      {test.data === undefined ? null : test.data.ok ? (
        <div className="notice good" role="status">
          <Icon name="good" />
          <span className="grow">
            It answered in {test.data.latencyMs} ms: “{test.data.reply}”
          </span>
          {keep.data === undefined ? (
            <button type="button" className="button small" disabled={keep.isPending} onClick={() => keep.mutate()}>
              Use it
            </button>
          ) : (
            <span>Written to {keep.data.file}; it holds from the next start.</span>
          )}
        </div>
      ) : (
        <Trouble error={new Error(`It did not answer: ${test.data.error ?? "no reason given"}`)} />
      )}
      {keep.isError ? <Trouble error={keep.error} /> : null}
    </section>
  );
}
