/** How many requirements each issue still owes; must equal known-unmet.ts and may only be lowered. */
export const knownUnmetCeiling: Readonly<Record<number, number>> = {
  2: 32,
  3: 24,
  4: 37,
  5: 2,
  6: 8,
  7: 7,
  8: 16,
  9: 55,
  10: 505,
  11: 8,
  12: 19,
};
