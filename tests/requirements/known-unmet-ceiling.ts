/** How many requirements each issue still owes; must equal known-unmet.ts and may only be lowered. */
export const knownUnmetCeiling: Readonly<Record<number, number>> = {
  2: 329,
  3: 208,
  4: 254,
  5: 44,
  6: 143,
  7: 155,
  8: 178,
  9: 173,
  10: 580,
  11: 89,
  12: 31,
};
