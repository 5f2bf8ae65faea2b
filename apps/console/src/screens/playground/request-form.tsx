import { useId, type ReactNode } from "react";
import type { Operation, Parameter } from "../../api/openapi.ts";
import type { RequestInput } from "./request.ts";
import { FieldView } from "./schema-fields.tsx";
import type { Field } from "./schema-form.ts";
import { say } from "../../words/say.ts";

const MEDIA_TYPES = ["application/json", "application/x-ndjson", "text/html", "text/plain", "application/octet-stream"];

/** The form of an operation: its parameters, then its body. */
export function RequestForm(props: {
  readonly operation: Operation;
  readonly field: Field | undefined;
  readonly input: RequestInput;
  readonly onChange: (input: RequestInput) => void;
  readonly onFile: (file: File | undefined) => void;
}): ReactNode {
  const { operation, field, input, onChange } = props;
  const bodyId = useId();
  const isEmpty = operation.parameters.length === 0 && operation.body.kind === "none";
  const fieldsFor = (isWanted: (place: Parameter["place"]) => boolean): ReactNode =>
    operation.parameters
      .filter(({ place }) => isWanted(place))
      .map((parameter) => (
        <ParameterField
          key={`${parameter.place} ${parameter.name}`}
          parameter={parameter}
          value={input.parameters[parameter.name] ?? ""}
          onChange={(value) => onChange({ ...input, parameters: { ...input.parameters, [parameter.name]: value } })}
        />
      ));
  return (
    <>
      {isEmpty ? <p className="soft">{say("playground.takesNothingSendIt")}</p> : null}
      {fieldsFor((place) => place !== "header")}
      {field === undefined ? null : (
        <FieldView
          field={field}
          id={bodyId}
          label={say("playground.body")}
          value={input.body}
          onChange={(body) => onChange({ ...input, body: body ?? {} })}
        />
      )}
      {operation.body.kind === "bytes" ? <BytesFields {...props} /> : null}
      {fieldsFor((place) => place === "header")}
    </>
  );
}

function ParameterField(props: {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const { parameter, value } = props;
  const id = useId();
  const options = Array.isArray(parameter.schema["enum"]) ? parameter.schema["enum"].map(String) : [];
  return (
    <div className="field">
      <label htmlFor={id}>
        <code>{parameter.name}</code> <span className="faint">{parameter.place}</span>
        {parameter.isRequired ? <span className="error-text"> {say("playground.needed")}</span> : null}
      </label>
      {options.length > 0 ? (
        <select id={id} className="input" value={value} onChange={(event) => props.onChange(event.target.value)}>
          <option value="">{say("playground.notSent")}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input id={id} className="input" value={value} onChange={(event) => props.onChange(event.target.value)} />
      )}
      {parameter.description === "" ? null : <p className="hint">{parameter.description}</p>}
    </div>
  );
}

function BytesFields(props: {
  readonly input: RequestInput;
  readonly onChange: (input: RequestInput) => void;
  readonly onFile: (file: File | undefined) => void;
}): ReactNode {
  const { input, onChange } = props;
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-type`}>{say("playground.mediaType")}</label>
        <select
          id={`${id}-type`}
          className="input"
          value={input.mediaType ?? "application/json"}
          onChange={(event) => onChange({ ...input, mediaType: event.target.value })}
        >
          {MEDIA_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-raw`}>{say("playground.body")}</label>
        <textarea
          id={`${id}-raw`}
          className="input code"
          rows={6}
          value={input.raw ?? ""}
          placeholder='{"url": "https://example.com/", "text": "…"}'
          onChange={(event) => onChange({ ...input, raw: event.target.value })}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-file`}>{say("playground.orAFile")}</label>
        <input id={`${id}-file`} type="file" onChange={(event) => props.onFile(event.target.files?.[0])} />
      </div>
    </>
  );
}
