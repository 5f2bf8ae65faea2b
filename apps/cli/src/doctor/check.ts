import type { Config } from "@quarry/config";

/** What one look at the machine found. `info` is neither good nor bad. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "info" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it; for warn and fail. */
  readonly fix?: string;
}

/** What the checks look at; they change nothing. */
export interface CheckInput {
  readonly config: Config;
  readonly version: string;
  /** The environment's PATH, where programs are looked for. */
  readonly programPath: string;
  /** Where Playwright keeps browsers. */
  readonly browserCache: string;
  readonly signal: AbortSignal;
}

/** One look at one thing. It never rejects but on abort: what cannot be found out is a finding. */
export type Check = (input: CheckInput) => Promise<readonly Finding[]>;
