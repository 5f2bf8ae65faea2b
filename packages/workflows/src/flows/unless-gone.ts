import { AppError } from "@quarry/base";

/** Waits for a removal or a stop; what is gone already is as good: the worker before may have died right after it did this. */
export async function unlessGone(work: Promise<void>): Promise<true> {
  try {
    await work;
  } catch (error) {
    if (AppError.from(error).code !== "not_found") throw error;
  }
  return true;
}
