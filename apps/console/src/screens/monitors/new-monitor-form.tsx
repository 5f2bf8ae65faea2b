import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { send } from "../../api/send.ts";
import { say } from "../../words/say.ts";
import { titleOfWebset } from "../websets/use-websets.ts";
import type { Webset } from "../websets/webset-shapes.ts";
import { DAYS, DAY_WORDS } from "./cadence-words.ts";

/** Asks which webset is kept up to date, when, and by what. */
export function NewMonitorForm(props: { readonly websets: readonly Webset[]; readonly onMade: () => void }): ReactNode {
  const { websets } = props;
  const queries = useQueryClient();
  const [websetId, setWebsetId] = useState("");
  const [kind, setKind] = useState<"search" | "refresh">("search");
  const [day, setDay] = useState("*");
  const [time, setTime] = useState("06:00");
  const [count, setCount] = useState("10");
  const chosen = websetId === "" ? (websets[0]?.id ?? "") : websetId;
  const make = useMutation({
    mutationFn: () => {
      const [hour = "6", minute = "0"] = time.split(":");
      const behavior =
        kind === "search"
          ? { type: "search", config: { count: Number(count), behavior: "append" } }
          : { type: "refresh", config: { target: "enrichments" } };
      const cron = `${Number(minute)} ${Number(hour)} * * ${day}`;
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      return send("/websets/v0/monitors", {
        method: "POST",
        body: { websetId: chosen, cadence: { cron, timezone: timeZone }, behavior },
      });
    },
    meta: { quiet: true },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["monitors"] });
      await queries.invalidateQueries({ queryKey: ["monitor-calendar"] });
      props.onMade();
    },
  });
  return (
    <Form
      onSubmit={() => make.mutate()}
      error={make.error}
      submit={say("monitors.make")}
      isDisabled={make.isPending || chosen === ""}
    >
      <Field id="monitor-webset" label={say("monitors.webset")}>
        <select
          id="monitor-webset"
          className="input"
          required
          value={chosen}
          onChange={(event) => setWebsetId(event.target.value)}
        >
          {websets.map((webset) => (
            <option key={webset.id} value={webset.id}>
              {titleOfWebset(webset)}
            </option>
          ))}
        </select>
      </Field>
      <div className="grid">
        <Field id="monitor-day" label={say("monitors.day")}>
          <select id="monitor-day" className="input" value={day} onChange={(event) => setDay(event.target.value)}>
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {DAY_WORDS[one]}
              </option>
            ))}
          </select>
        </Field>
        <Field id="monitor-time" label={say("monitors.time")}>
          <input
            id="monitor-time"
            className="input"
            type="time"
            required
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </Field>
      </div>
      <div className="grid">
        <Field id="monitor-kind" label={say("monitors.what")}>
          <select
            id="monitor-kind"
            className="input"
            value={kind}
            onChange={(event) => setKind(event.target.value === "refresh" ? "refresh" : "search")}
          >
            <option value="search">{say("monitors.search")}</option>
            <option value="refresh">{say("monitors.refresh")}</option>
          </select>
        </Field>
        {kind === "search" ? (
          <Field id="monitor-count" label={say("monitors.count")}>
            <input
              id="monitor-count"
              className="input"
              type="number"
              min={1}
              max={1_000}
              required
              value={count}
              onChange={(event) => setCount(event.target.value)}
            />
          </Field>
        ) : null}
      </div>
    </Form>
  );
}
