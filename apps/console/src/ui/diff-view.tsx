import type { ReactNode } from "react";

/** A unified diff: lines that came, lines that went, and those around them. */
export function DiffView({ label, diff }: { readonly label: string; readonly diff: string }): ReactNode {
  return (
    <pre className="code-block diff" role="region" aria-label={label} tabIndex={0}>
      {diff
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => (
          <span key={index} className={kindOf(line)}>
            {line}
            {"\n"}
          </span>
        ))}
    </pre>
  );
}

function kindOf(line: string): string {
  if (/^(?:\+\+\+|---|@@|diff |index )/.test(line)) return "diff-head";
  return line.startsWith("+") ? "diff-added" : line.startsWith("-") ? "diff-removed" : "";
}
