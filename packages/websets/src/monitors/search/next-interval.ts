import { AppError } from "@quarry/base";
import { readPeriodMs } from "@quarry/contract";

/** The first moment after `now` that is a whole number of periods after `anchor`. */
export function nextInterval(period: string, anchor: Date, now: Date): Date {
  const periodMs = readPeriodMs(period);
  if (periodMs === undefined) throw new AppError("internal", `a monitor has the period ${period}, which is none`);
  const passed = Math.max(0, Math.floor((now.getTime() - anchor.getTime()) / periodMs));
  return new Date(anchor.getTime() + (passed + 1) * periodMs);
}
