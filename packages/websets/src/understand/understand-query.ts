import type { UnderstandOutcome, WebsetQuery } from "./understood-query.ts";

/** Reads a webset's query. Rejects only on abort. */
export function understandQuery(request: WebsetQuery): Promise<UnderstandOutcome> {
  request.signal.throwIfAborted();
  return Promise.resolve({
    kind: "understood",
    entity: request.entity ?? { type: "company" },
    criteria: request.criteria ?? [{ description: request.query }],
    formulations: [request.query],
    enrichments: [],
    namedSites: [],
  });
}
