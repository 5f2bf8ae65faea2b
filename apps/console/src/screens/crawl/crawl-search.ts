/** The address of the list of crawls: whether the form is open, and the URL that is asked about. */
export interface CrawlsSearch {
  readonly dialog?: "new" | undefined;
  readonly why?: string | undefined;
}

/** Reads such an address. */
export function readCrawlsSearch(raw: Readonly<Record<string, unknown>>): CrawlsSearch {
  const { why } = raw;
  return {
    ...(raw["dialog"] === "new" ? { dialog: "new" } : {}),
    ...(typeof why === "string" && why !== "" ? { why } : {}),
  };
}

/** The address of one crawl: which part is shown, and which pages. */
export interface CrawlSearch {
  readonly view?: "hosts" | undefined;
  readonly status?: string | undefined;
  /** An address of the site whose robots rules are open. */
  readonly robots?: string | undefined;
}

/** Reads such an address. */
export function readCrawlSearch(raw: Readonly<Record<string, unknown>>): CrawlSearch {
  const { status, robots } = raw;
  return {
    ...(raw["view"] === "hosts" ? { view: "hosts" } : {}),
    ...(typeof status === "string" && status !== "" ? { status } : {}),
    ...(typeof robots === "string" && robots !== "" ? { robots } : {}),
  };
}
