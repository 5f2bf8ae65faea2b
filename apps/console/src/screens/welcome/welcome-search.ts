/** The steps of the guided start. */
export const STEPS = ["model", "fill", "ask", "connect"] as const;

/** One step. */
export type Step = (typeof STEPS)[number];

/** How the index can be filled. */
export const FILL_WAYS = ["sample", "crawl", "import"] as const;

/** One way to fill it. */
export type FillWay = (typeof FILL_WAYS)[number];

/** The address of the guided start: its step, how the index is being filled, and by which crawl. */
export interface WelcomeSearch {
  readonly step?: Step | undefined;
  readonly fill?: FillWay | undefined;
  /** The crawl that was begun here. */
  readonly crawl?: string | undefined;
}

/** Reads such an address. */
export function readWelcomeSearch(raw: Readonly<Record<string, unknown>>): WelcomeSearch {
  const step = STEPS.find((one) => one === raw["step"]);
  const fill = FILL_WAYS.find((one) => one === raw["fill"]);
  const { crawl } = raw;
  return {
    ...(step === undefined || step === "model" ? {} : { step }),
    ...(fill === undefined ? {} : { fill }),
    ...(typeof crawl === "string" ? { crawl } : {}),
  };
}
