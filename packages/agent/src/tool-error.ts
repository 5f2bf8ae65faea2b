import { AppError } from "@quarry/base";

/** A failure in two sentences: a short one for the person, and one for the model that says what was not done and what next. */
export interface ToolError {
  readonly client: string;
  readonly model: string;
  /** For an edit that failed: what kind it was, and how many lines the file has. */
  readonly edit?: { readonly kind: "edit-file" | "search-replace"; readonly numLinesInFileBeforeEdit: number };
}

/** The error for a model: what happened, what was not done, what to do next. */
export function toolError(client: string, happened: string, next: string): ToolError {
  return { client, model: `${happened} ${next}` };
}

/** Thrown where a failure has its two sentences already, such as one told by another machine. */
export class ToolFailure extends Error {
  readonly toolError: ToolError;

  constructor(error: ToolError) {
    super(error.client);
    this.name = "ToolFailure";
    this.toolError = error;
  }
}

/** What the caller may know of something thrown by a tool: an AppError's own words, nothing of anything else. */
export function toToolError(tool: string, thrown: unknown): ToolError {
  if (thrown instanceof ToolFailure) return thrown.toolError;
  const error = AppError.from(thrown);
  const happened = error.code === "internal" ? "It failed for a reason inside the server." : sentence(error.message);
  const next = error.retryable
    ? "The same call may succeed later."
    : "Nothing was returned; change the call or go on without it.";
  return toolError(`${tool} failed`, `The call of ${tool} failed: ${happened}`, next);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
