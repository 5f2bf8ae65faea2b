import { useState, type ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { showToast } from "./toasts.ts";
import { say } from "../words/say.ts";

const SAYS_SO_MS = 1_500;

/** Copies a text and says so. */
export function CopyButton({
  text,
  label = say("ui.copy"),
}: {
  readonly text: string;
  readonly label?: string;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SAYS_SO_MS);
    } catch {
      // Browsers refuse on plain http off loopback.
      showToast({ kind: "bad", title: say("ui.theBrowserRefusedToCopy"), text: say("ui.selectTheTextAndCopy") });
    }
  };
  return (
    <button type="button" className="button small" onClick={() => void copy()}>
      <Icon name={isCopied ? "good" : "copy"} />
      {isCopied ? say("ui.copied") : label}
    </button>
  );
}
