import type { ReactNode } from "react";

/** A form: its fields, what the server refused, and the button that sends it. */
export function Form(props: {
  readonly onSubmit: () => void;
  /** What the button says. */
  readonly submit: string;
  /** Why it cannot be sent now: it is on its way, or something is missing. */
  readonly isDisabled: boolean;
  readonly error?: Error | null;
  /** Buttons beside the one that sends it. */
  readonly more?: ReactNode;
  readonly isQuiet?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { error = null } = props;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
      {error === null ? null : (
        <p className="error-text" role="alert">
          {error.message}
        </p>
      )}
      <div className="row">
        <button
          type="submit"
          className={props.isQuiet === true ? "button" : "button primary"}
          disabled={props.isDisabled}
        >
          {props.submit}
        </button>
        {props.more}
      </div>
    </form>
  );
}

/** One field of a form under its name; the input inside has the same id. */
export function Field(props: { readonly id: string; readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="field">
      <label htmlFor={props.id}>{props.label}</label>
      {props.children}
    </div>
  );
}
