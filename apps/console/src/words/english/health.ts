/** What the console says on the screen: health. */
export const health = {
  "health.health": "Health",
  "health.howEachPartOfThis": "How each part of this server does. What is wrong says what to do.",
} as const;
