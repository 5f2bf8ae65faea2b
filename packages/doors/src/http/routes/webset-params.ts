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
