import type { ReactNode } from "react";
import { Badge, type Tone } from "../../ui/states.tsx";
import type { Webset } from "./webset-shapes.ts";

const TONES: Readonly<Record<Webset["status"], Tone>> = {
  idle: "good",
  pending: "idle",
  running: "live",
  paused: "warn",
};

/** How a webset stands. */
export function WebsetBadge({ status }: { readonly status: Webset["status"] }): ReactNode {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
