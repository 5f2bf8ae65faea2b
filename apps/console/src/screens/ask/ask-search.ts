/** The ways to search that have a chip. */
export const MODES = ["auto", "fast", "neural", "keyword", "deep"] as const;

/** One way to search. */
export type Mode = (typeof MODES)[number];

/** Categories that narrow the results. */
export const CATEGORIES = [
  "company",
  "people",
  "publication",
  "news",
  "personal site",
  "financial report",
  "pdf",
  "github",
] as const;

/** The address of the Ask screen: the question, how it is asked, and what is open beside it. */
export interface AskSearch {
  readonly q?: string | undefined;
  readonly type?: Mode | undefined;
  readonly n?: number | undefined;
  /** Only these, and none of these: hosts with commas between. */
  readonly only?: string | undefined;
  readonly without?: string | undefined;
  /** Published from and to, as days. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly category?: string | undefined;
  readonly phrase?: string | undefined;
  /** Whether an answer is written beside the results. */
  readonly answer?: true | undefined;
  /** What the panel at the right shows, of which page: as it was found, as the answer quotes it, or pages like it. */
  readonly panel?: "page" | "quoted" | "similar" | undefined;
  readonly url?: string | undefined;
}

const PANELS = ["page", "quoted", "similar"] as const;
const DEFAULT_RESULTS = 10;
const MOST_RESULTS = 100;

/** Reads an address; what makes no sense is left out, so that any link opens. */
export function readAskSearch(raw: Readonly<Record<string, unknown>>): AskSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const day = (name: string): string | undefined => {
    const value = text(name);
    return value !== undefined && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
  };
  const n = Number(raw["n"]);
  return dropAbsent({
    q: text("q"),
    type: MODES.find((mode) => mode === raw["type"]),
    n: Number.isInteger(n) && n >= 1 && n <= MOST_RESULTS ? n : undefined,
    only: text("only"),
    without: text("without"),
    from: day("from"),
    to: day("to"),
    category: text("category"),
    phrase: text("phrase"),
    answer: raw["answer"] === true || raw["answer"] === "true" ? true : undefined,
    panel: PANELS.find((panel) => panel === raw["panel"]),
    url: text("url"),
  });
}

/** The filters of an address as the API words them; shared by search, explain and findSimilar. */
export function toFilters(search: AskSearch): Readonly<Record<string, unknown>> {
  const only = toList(search.only);
  const without = toList(search.without);
  return dropAbsent({
    includeDomains: only.length === 0 ? undefined : only,
    excludeDomains: without.length === 0 ? undefined : without,
    startPublishedDate: search.from === undefined ? undefined : `${search.from}T00:00:00.000Z`,
    endPublishedDate: search.to === undefined ? undefined : `${search.to}T23:59:59.999Z`,
    category: search.category,
    includeText: search.phrase === undefined ? undefined : [search.phrase],
  });
}

/** The body of POST /search for an address. */
export function toSearchBody(search: AskSearch): Readonly<Record<string, unknown>> {
  return {
    ...toExplainBody(search),
    contents: { highlights: { maxCharacters: 600 } },
    quarry: { evidence: true },
  };
}

/** The body of POST /quarry/v1/explain for an address. */
export function toExplainBody(search: AskSearch): Readonly<Record<string, unknown>> {
  return {
    query: search.q ?? "",
    type: search.type ?? "auto",
    numResults: search.n ?? DEFAULT_RESULTS,
    ...toFilters(search),
  };
}

/** How many filters are set, to say so on their button. */
export function countFilters(search: AskSearch): number {
  const { only, without, from, to, category, phrase, n } = search;
  return [only, without, from, to, category, phrase, n].filter((value) => value !== undefined).length;
}

function toList(text: string | undefined): readonly string[] {
  return (text ?? "").split(/[\s,]+/).filter((part) => part !== "");
}

function dropAbsent<T extends object>(record: T): T {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined && value !== ""),
  ) as unknown as T;
}
