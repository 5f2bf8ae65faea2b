/** How many requirements each issue still owes; must equal known-unmet.ts and may only be lowered. */
export const knownUnmetCeiling: Readonly<Record<number, number>> = {
  2: 32,
  3: 24,
  4: 37,
  5: 8,
  6: 63,
  7: 159,
  8: 179,
  9: 67,
  10: 580,
  11: 92,
  12: 34,
};
