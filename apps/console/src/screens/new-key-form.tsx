import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../ui/form.tsx";
import { send } from "../api/send.ts";
import type { ApiKeyWithSecret } from "../api/shapes.ts";
import { say } from "../words/say.ts";

/** What a key may do; `all` is for people who run the server. */
const SCOPES = [
  ["search", say("keys.searchReadContentsAsk")],
  ["research", say("keys.runResearch")],
  ["websets", say("keys.workWithWebsets")],
  ["index", say("keys.crawlAddAndDeleteDocuments")],
  ["tools", say("keys.askForToolCalls")],
  ["approvals", say("keys.answerApprovals")],
  ["admin", say("keys.keysUsageEvents")],
] as const;

const DEFAULT_SCOPES = ["search", "research", "websets"];

/** Asks for what a new key needs and makes it. */
export function NewKeyForm({ onMade }: { readonly onMade: (made: ApiKeyWithSecret) => void }): ReactNode {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(DEFAULT_SCOPES);
  const [budget, setBudget] = useState("");
  const [expires, setExpires] = useState("");
  const make = useMutation({
    mutationFn: () =>
      send<ApiKeyWithSecret>("/quarry/v1/keys", {
        method: "POST",
        body: {
          name: name.trim(),
          scopes,
          ...(budget === "" ? {} : { budgetDollars: Number(budget) }),
          ...(expires === "" ? {} : { expiresAt: new Date(expires).toISOString() }),
        },
      }),
    meta: { quiet: true },
    onSuccess: onMade,
  });
  return (
    <Form
      onSubmit={() => make.mutate()}
      error={make.error}
      submit={say("keys.makeTheKey")}
      isDisabled={make.isPending || scopes.length === 0}
    >
      <Field id="key-name" label={say("keys.name")}>
        <input
          id="key-name"
          className="input"
          required
          autoFocus
          maxLength={100}
          placeholder={say("keys.whatItIsForMy")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <fieldset className="field">
        <legend className="label">{say("keys.scopes")}</legend>
        {SCOPES.map(([scope, what]) => (
          <label key={scope} className="check">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />
            <span>
              <strong>{scope}</strong> <span className="soft">{what}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="grid">
        <Field id="key-budget" label={say("keys.budgetInDollars")}>
          <input
            id="key-budget"
            className="input"
            type="number"
            min="0"
            step="any"
            placeholder={say("keys.none")}
            value={budget}
            onChange={(event) => setBudget(event.target.value)}
          />
        </Field>
        <Field id="key-expires" label={say("keys.expires")}>
          <input
            id="key-expires"
            className="input"
            type="date"
            value={expires}
            onChange={(event) => setExpires(event.target.value)}
          />
        </Field>
      </div>
    </Form>
  );
}
