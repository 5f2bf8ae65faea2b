import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { send } from "../../api/send.ts";
import { Icon } from "../../ui/icon.tsx";
import { Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

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
      <p>{say("welcome.quarrySearchesAnswersAndResearches")}</p>
      <Form
        onSubmit={() => test.mutate()}
        submit={test.isPending ? say("welcome.askingIt") : say("welcome.testIt")}
        isDisabled={test.isPending}
        isQuiet
      >
        <Field id="model-url" label={say("welcome.address")}>
          <input
            id="model-url"
            className="input"
            type="url"
            required
            placeholder={say("welcome.http127001")}
            value={url}
            onChange={(event) => change(setUrl, event.target.value)}
          />
        </Field>
        <Field id="model-name" label={say("welcome.model")}>
          <input
            id="model-name"
            className="input"
            placeholder={say("welcome.theNameItHasThere")}
            value={model}
            onChange={(event) => change(setModel, event.target.value)}
          />
        </Field>
        <Field id="model-key" label={say("welcome.keyIfItWantsOne")}>
          <input
            id="model-key"
            className="input"
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => change(setKey, event.target.value)}
          />
        </Field>
      </Form>
      {test.isError ? <Trouble error={test.error} /> : null}
      {test.data === undefined ? null : test.data.ok ? (
        <div className="notice good" role="status">
          <Icon name="good" />
          <span className="grow">
            {tell("welcome.itAnsweredInMs", { latencyMs: test.data.latencyMs, reply: test.data.reply })}
          </span>
          {keep.data === undefined ? (
            <button type="button" className="button small" disabled={keep.isPending} onClick={() => keep.mutate()}>
              {say("welcome.useIt")}
            </button>
          ) : (
            <span>{say("welcome.writtenToItHoldsFrom", { file: keep.data.file })}</span>
          )}
        </div>
      ) : (
        <Trouble
          error={new Error(say("welcome.itDidNotAnswer", { error: test.data.error ?? say("welcome.noReasonGiven") }))}
        />
      )}
      {keep.isError ? <Trouble error={keep.error} /> : null}
    </section>
  );
}
