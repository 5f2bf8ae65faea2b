import { useId, useState, type ReactNode } from "react";
import { isRecord } from "../../api/send.ts";
import { setPart, startingValue, variantOf, type Field, type NamedField } from "./schema-form.ts";
import { say } from "../../words/say.ts";

interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly id: string;
  /** Its name and what it is for, where no label points at it. */
  readonly label: string;
}

/** The fields of a group; those that may be left out are sent only once they hold something. */
export function GroupFields(props: {
  readonly fields: readonly NamedField[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): ReactNode {
  const { fields, value, onChange } = props;
  const record = isRecord(value) ? value : {};
  return fields.map((named) => (
    <NamedFieldView
      key={named.name}
      named={named}
      value={record[named.name]}
      onChange={(next) => onChange(setPart(value, named.name, next))}
    />
  ));
}

function NamedFieldView(props: {
  readonly named: NamedField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): ReactNode {
  const { named, value, onChange } = props;
  const id = useId();
  const isNested = named.field.kind === "group" || named.field.kind === "variants";
  const label = (
    <>
      <code>{named.name}</code>
      {named.isRequired ? <span className="error-text"> {say("playground.needed")}</span> : null}
    </>
  );
  const hint = named.description === "" ? null : <p className="hint">{named.description}</p>;
  if (isNested) {
    const isOn = value !== undefined;
    return (
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={isOn}
            disabled={named.isRequired}
            onChange={(event) => onChange(event.target.checked ? startingValue(named.field) : undefined)}
          />
          <span className="label">{label}</span>
        </label>
        {hint}
        {isOn ? (
          <div className="nested">
            <FieldView field={named.field} value={value} onChange={onChange} id={id} label={named.name} />
          </div>
        ) : null}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <FieldView field={named.field} value={value} onChange={onChange} id={id} label={named.name} />
      {hint}
    </div>
  );
}

/** The control for one field. */
export function FieldView(props: FieldProps): ReactNode {
  const { field, ...rest } = props;
  switch (field.kind) {
    case "text":
      return <TextField field={field} {...rest} />;
    case "number":
      return <NumberField field={field} {...rest} />;
    case "flag":
      return (
        <select
          id={rest.id}
          className="input"
          value={typeof rest.value === "boolean" ? String(rest.value) : ""}
          onChange={(event) => rest.onChange(event.target.value === "" ? undefined : event.target.value === "true")}
        >
          <option value="">{say("playground.notSent")}</option>
          <option value="true">{say("playground.true")}</option>
          <option value="false">{say("playground.false")}</option>
        </select>
      );
    case "choice":
      return (
        <select
          id={rest.id}
          className="input"
          value={typeof rest.value === "string" ? rest.value : ""}
          onChange={(event) => rest.onChange(event.target.value === "" ? undefined : event.target.value)}
        >
          <option value="">{say("playground.notSent")}</option>
          {field.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case "list":
      return field.item.kind === "text" || field.item.kind === "choice" ? (
        <LinesField {...rest} />
      ) : (
        <JsonField {...rest} />
      );
    case "group":
      return <GroupFields fields={field.fields} value={rest.value} onChange={rest.onChange} />;
    case "variants":
      return <VariantsField field={field} {...rest} />;
    case "json":
      return <JsonField {...rest} />;
  }
}

function TextField({ field, value, onChange, id }: FieldProps<Extract<Field, { kind: "text" }>>): ReactNode {
  const shared = {
    id,
    className: "input",
    value: typeof value === "string" ? value : "",
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value === "" ? undefined : event.target.value),
  };
  if (field.isLong) return <textarea {...shared} rows={3} />;
  return <input {...shared} placeholder={field.isDate ? say("playground.n20260131T000000Z") : undefined} />;
}

function NumberField({ field, value, onChange, id }: FieldProps<Extract<Field, { kind: "number" }>>): ReactNode {
  return (
    <input
      id={id}
      className="input"
      type="number"
      step={field.isWhole ? 1 : "any"}
      min={field.min}
      max={field.max}
      value={typeof value === "number" ? value : ""}
      onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
    />
  );
}

/** A list of texts, one a line. */
function LinesField({ value, onChange, id }: Omit<FieldProps, "field">): ReactNode {
  const [typed, setTyped] = useState(Array.isArray(value) ? value.join("\n") : "");
  return (
    <textarea
      id={id}
      className="input"
      rows={2}
      placeholder={say("playground.oneALine")}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        const lines = event.target.value.split("\n").filter((line) => line.trim() !== "");
        onChange(lines.length === 0 ? undefined : lines);
      }}
    />
  );
}

function VariantsField(props: FieldProps<Extract<Field, { kind: "variants" }>>): ReactNode {
  const { field, value, onChange, id, label } = props;
  const [chosen, setChosen] = useState(variantOf(field, value));
  const variant = field.variants[chosen];
  return (
    <>
      <select
        className="input"
        aria-label={say("playground.kindOf", { label })}
        value={chosen}
        onChange={(event) => {
          const next = Number(event.target.value);
          setChosen(next);
          onChange(field.variants[next] === undefined ? undefined : startingValue(field.variants[next].field));
        }}
      >
        {field.variants.map((one, index) => (
          <option key={index} value={index}>
            {one.label}
          </option>
        ))}
      </select>
      {variant === undefined ? null : variant.field.kind === "group" ? (
        <FieldView field={variant.field} value={value} onChange={onChange} id={id} label={label} />
      ) : (
        <div className="field">
          <label htmlFor={id} className="hidden-label">
            {label}
          </label>
          <FieldView field={variant.field} value={value} onChange={onChange} id={id} label={label} />
        </div>
      )}
    </>
  );
}

/** Any JSON; it counts once it can be read. */
function JsonField({ value, onChange, id }: Omit<FieldProps, "field">): ReactNode {
  const [typed, setTyped] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <>
      <textarea
        id={id}
        className="input code"
        rows={3}
        placeholder={say("playground.jSON")}
        aria-invalid={isWrong}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          if (event.target.value.trim() === "") {
            setWrong(false);
            onChange(undefined);
            return;
          }
          try {
            onChange(JSON.parse(event.target.value));
            setWrong(false);
          } catch {
            setWrong(true); // half typed: the last whole value stays
          }
        }}
      />
      {isWrong ? <p className="error-text">{say("playground.notJSONYet")}</p> : null}
    </>
  );
}
