import { useState, type ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { showToast } from "./toasts.ts";

const SAYS_SO_MS = 1_500;

/** Copies a text and says so. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SAYS_SO_MS);
    } catch {
      // Browsers refuse on plain http off loopback.
      showToast({ kind: "bad", title: "The browser refused to copy", text: "Select the text and copy it by hand." });
    }
  };
  return (
    <button type="button" className="button small" onClick={() => void copy()}>
      <Icon name={isCopied ? "good" : "copy"} />
      {isCopied ? "Copied" : label}
    </button>
  );
}
