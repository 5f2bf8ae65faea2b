import type { ReactNode } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { say } from "../../words/say.ts";

/** The secret that signs deliveries, once. */
export function SecretDialog({ secret, close }: { readonly secret: string; readonly close: () => void }): ReactNode {
  return (
    <Dialog title={say("webhooks.theSecretOfTheWebhook")} onClose={close}>
      <p>{say("webhooks.yourProgramChecksSignaturesWith")}</p>
      <code className="code-block">{secret}</code>
      <div className="row">
        <CopyButton text={secret} label={say("webhooks.copyTheSecret")} />
        <button type="button" className="button quiet" onClick={close}>
          {say("webhooks.iHaveIt")}
        </button>
      </div>
    </Dialog>
  );
}
