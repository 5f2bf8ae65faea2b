import { useSyncExternalStore, type ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { closeToast, readToasts, watchToasts } from "./toasts.ts";
import { say } from "../words/say.ts";

/** The messages in the corner; read out as they come. */
export function ToastList(): ReactNode {
  const toasts = useSyncExternalStore(watchToasts, readToasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, kind, title, text }) => (
        <div key={id} className={`toast ${kind}`}>
          <div className="grow">
            <strong>{title}</strong>
            {text === undefined ? null : <p className="soft wrap">{text}</p>}
          </div>
          <button
            type="button"
            className="button quiet small"
            aria-label={say("ui.closeMessage")}
            onClick={() => closeToast(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
