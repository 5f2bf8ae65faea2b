/** Which side has more behind it. */
export interface Weighed {
  readonly verdict: "supported" | "countered" | "contested" | "insufficient";
  /** 0 to 1: how far the sides are apart, less so when there is little of both. */
  readonly confidence: number;
}

/** Fewer sources than this on both sides together say nothing. */
const LEAST = 3;
/** Sides that are closer than this are contested. */
const CLEAR = 0.25;

/** Weighs how many sources stand on each side. */
export function weighSides(supporting: number, countering: number): Weighed {
  const total = supporting + countering;
  if (total < LEAST) return { verdict: "insufficient", confidence: 0 };
  const lead = (supporting - countering) / total;
  const confidence = Math.abs(lead) * (total / (total + LEAST));
  if (Math.abs(lead) < CLEAR) return { verdict: "contested", confidence };
  return { verdict: lead > 0 ? "supported" : "countered", confidence };
}
