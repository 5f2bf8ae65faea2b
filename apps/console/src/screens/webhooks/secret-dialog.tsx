import type { ReactNode } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** The secret that signs deliveries, once. */
export function SecretDialog({ secret, close }: { readonly secret: string; readonly close: () => void }): ReactNode {
  return (
    <Dialog title="The secret of the webhook" onClose={close}>
      <p>Your program checks signatures with it. Copy it now: it is shown only this once.</p>
      <code className="code-block">{secret}</code>
      <div className="row">
        <CopyButton text={secret} label="Copy the secret" />
        <button type="button" className="button quiet" onClick={close}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
