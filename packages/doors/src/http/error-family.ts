import type { ErrorFamily } from "@quarry/contract";

/** The family whose error shape a path has; query and alias are allowed for. */
export function familyOfPath(path: string): ErrorFamily {
  if (/^\/(websets|v0)([/?]|$)/.test(path)) return "websets";
  return /^\/agent([/?]|$)/.test(path) ? "agent" : "search";
}
