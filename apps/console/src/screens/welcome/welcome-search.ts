/** The steps of the guided start. */
export const STEPS = ["fill", "ask", "connect"] as const;

/** One step. */
export type Step = (typeof STEPS)[number];

/** The address of the guided start: its step, and how the index is being filled. */
export interface WelcomeSearch {
  readonly step?: Step | undefined;
  readonly fill?: "crawl" | "import" | undefined;
}

/** Reads such an address. */
export function readWelcomeSearch(raw: Readonly<Record<string, unknown>>): WelcomeSearch {
  const step = STEPS.find((one) => one === raw["step"]);
  return {
    ...(step === undefined || step === "fill" ? {} : { step }),
    ...(raw["fill"] === "crawl" || raw["fill"] === "import" ? { fill: raw["fill"] } : {}),
  };
}
