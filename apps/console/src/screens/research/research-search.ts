/** The address of one research: which part is shown, and the source that is open. */
export interface ResearchSearch {
  readonly view?: "steps" | "sources" | undefined;
  readonly url?: string | undefined;
}

/** Reads such an address. */
export function readResearchSearch(raw: Readonly<Record<string, unknown>>): ResearchSearch {
  const { view, url } = raw;
  return {
    ...(view === "steps" || view === "sources" ? { view } : {}),
    ...(typeof url === "string" && url !== "" ? { url } : {}),
  };
}
