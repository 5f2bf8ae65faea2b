import type { ReactNode } from "react";
import { Badge, type Tone } from "../../ui/states.tsx";
import type { Research } from "./research-shapes.ts";

const TONES: Readonly<Record<Research["status"], Tone>> = {
  pending: "idle",
  running: "live",
  completed: "good",
  canceled: "idle",
  failed: "bad",
};

/** How a research stands. */
export function ResearchBadge({ status }: { readonly status: Research["status"] }): ReactNode {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
