import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
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
    <Form
      onSubmit={() => make.mutate()}
      error={make.error}
      submit={say("webhooks.makeTheWebhook")}
      isDisabled={make.isPending || events.size === 0}
    >
      <Field id="webhook-url" label={say("webhooks.address")}>
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
      </Field>
      <fieldset className="checks">
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
    </Form>
  );
}
