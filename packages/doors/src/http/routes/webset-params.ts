import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@quarry/base";
import type { WebsetPriority } from "@quarry/store";
import type { WebsetsDeps } from "@quarry/websets";
import { z } from "zod";

/** What the webset routes need. */
export interface WebsetRoutesDeps {
  readonly websets: WebsetsDeps;
}

/** The webset of a path: its id or its externalId. */
export const websetParams = z.object({ webset: z.string().min(1).describe("The webset's id, or its externalId.") });

/** A part of a webset. */
export const websetPartParams = z.object({ ...websetParams.shape, id: z.string().min(1) });

const PRIORITY_HEADER = "x-exa-websets-priority";
const PRIORITIES: readonly WebsetPriority[] = ["low", "medium", "high"];

/** How urgent a caller says a webset is; undefined when it does not say. Throws `invalid_request` for another word. */
export function readWebsetPriority(headers: IncomingHttpHeaders): WebsetPriority | undefined {
  const given = headers[PRIORITY_HEADER];
  if (given === undefined) return undefined;
  const word = String(given).trim().toLowerCase();
  const priority = PRIORITIES.find((known) => known === word);
  if (priority !== undefined) return priority;
  const message = `${PRIORITY_HEADER}: expected low, medium or high, received ${JSON.stringify(word.slice(0, 60))}`;
  throw new AppError("invalid_request", message, { details: { field: PRIORITY_HEADER } });
}
