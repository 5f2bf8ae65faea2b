import { useEffect, useId, useRef, type ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { say } from "../words/say.ts";

/** A window over the page that keeps the focus inside until it is closed; `panel` lies at the right edge, full height. */
export function Dialog(props: {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly kind?: "dialog" | "panel";
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { kind = "dialog", onClose } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    ref.current?.showModal();
    // To the first field or the text, rather than to the button that closes it.
    ref.current?.querySelector<HTMLElement>(".dialog-body :is(input, textarea, select), .panel-body")?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      className={kind}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current.close(); // the veil around it
      }}
    >
      <div className="panel-head">
        <div className="grow">
          <h2 id={titleId} className="wrap">
            {props.title}
          </h2>
          {props.subtitle}
        </div>
        <button
          type="button"
          className="button quiet icon-only"
          aria-label={say("ui.close")}
          onClick={() => ref.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className={kind === "panel" ? "panel-body" : "dialog-body"} tabIndex={kind === "panel" ? -1 : undefined}>
        {props.children}
      </div>
    </dialog>
  );
}
