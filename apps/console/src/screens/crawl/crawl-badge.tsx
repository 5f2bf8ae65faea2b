import type { ReactNode } from "react";
import type { CrawlStatus } from "../../api/shapes.ts";
import { Badge, type Tone } from "../../ui/states.tsx";

const TONES: Readonly<Record<CrawlStatus, Tone>> = {
  queued: "idle",
  running: "live",
  paused: "warn",
  completed: "good",
  canceled: "idle",
  failed: "bad",
};

/** How a crawl stands. */
export function CrawlBadge({ status }: { readonly status: CrawlStatus }): ReactNode {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
