import { AppError } from "@quarry/base";
import type { ImportFailure } from "@quarry/store";

/** A file that no import can be made of, and what its owner should do about it. Trying again does not help. */
export class UnusableFileError extends AppError {
  readonly reason: ImportFailure;

  constructor(reason: ImportFailure, message: string, cause?: unknown) {
    super("unprocessable", message, { cause });
    this.name = "UnusableFileError";
    this.reason = reason;
  }
}
