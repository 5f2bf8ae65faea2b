/** How many requirements each issue still owes; must equal known-unmet.ts and may only be lowered. */
export const knownUnmetCeiling: Readonly<Record<number, number>> = {
  2: 308,
  3: 197,
  4: 11,
  5: 2,
  6: 4,
  7: 4,
  8: 3,
  9: 5,
  11: 2,
};
