import type { ReactNode } from "react";
import { Field } from "../../ui/form.tsx";
import { say } from "../../words/say.ts";
import type { WebsetEntity } from "./webset-shapes.ts";

const ENTITY_TYPES = ["company", "person", "article", "research_paper", "custom"] as const;

/** What the items of a webset are, to be chosen. */
export function EntityFields(props: {
  readonly entity: WebsetEntity;
  readonly onChange: (entity: WebsetEntity) => void;
}): ReactNode {
  const { entity, onChange } = props;
  return (
    <div className="grid">
      <Field id="webset-entity" label={say("websets.whatTheItemsAre")}>
        <select
          id="webset-entity"
          className="input"
          value={entity.type}
          onChange={({ target }) =>
            onChange(target.value === "custom" ? { type: "custom", description: "" } : { type: target.value })
          }
        >
          {ENTITY_TYPES.map((type) => (
            <option key={type} value={type}>
              {type.replace("_", " ")}
            </option>
          ))}
        </select>
      </Field>
      {entity.type === "custom" ? (
        <Field id="webset-entity-words" label={say("websets.inWords")}>
          <input
            id="webset-entity-words"
            className="input"
            required
            minLength={2}
            maxLength={200}
            value={entity.description ?? ""}
            onChange={(event) => onChange({ type: "custom", description: event.target.value })}
          />
        </Field>
      ) : null}
    </div>
  );
}
