import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { EVENT_TYPES, type Webhook } from "./webhook-shapes.ts";
import { say } from "../../words/say.ts";

/** Asks where to send which events. */
export function NewWebhookForm({ onMade }: { readonly onMade: (webhook: Webhook) => void }): ReactNode {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(["webset.idle"]));
  const make = useMutation({
    mutationFn: () => send<Webhook>("/websets/v0/webhooks", { method: "POST", body: { url, events: [...events] } }),
    meta: { quiet: true },
    onSuccess: onMade,
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="webhook-url">{say("webhooks.address")}</label>
        <input
          id="webhook-url"
          className="input"
          type="url"
          required
          autoFocus
          placeholder={say("webhooks.httpsExampleComHook")}
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </div>
      <fieldset className="grid three">
        <legend className="label">{say("webhooks.events")}</legend>
        {EVENT_TYPES.map((type) => (
          <label key={type} className="check">
            <input
              type="checkbox"
              checked={events.has(type)}
              onChange={(event) => {
                const next = new Set(events);
                if (event.target.checked) next.add(type);
                else next.delete(type);
                setEvents(next);
              }}
            />
            {type}
          </label>
        ))}
      </fieldset>
      {make.isError ? (
        <p className="error-text" role="alert">
          {make.error.message}
        </p>
      ) : null}
      <div>
        <button type="submit" className="button primary" disabled={make.isPending || events.size === 0}>
          {say("webhooks.makeTheWebhook")}
        </button>
      </div>
    </form>
  );
}
