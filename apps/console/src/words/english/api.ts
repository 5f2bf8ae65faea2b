/** What the console says around its screens: api. */
export const api = {
  "api.thatDidNotWork": "That did not work",
  "api.noAnswer": "No answer",
  "api.notAllowed": "Not allowed",
  "api.tooManyRequests": "Too many requests",
  "api.otherTag": "Other",
  "api.theServerDoesNotAnswer": "The server does not answer. Is it still running? Start it with npm start.",
  "api.theServerAnsweredWithoutSaying": "The server answered {status} without saying why. Its log does.",
} as const;
