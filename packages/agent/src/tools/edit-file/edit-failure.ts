import { AppError } from "@quarry/base";
import { ToolFailure, toolError } from "../../tool-error.ts";
import type { EditTarget } from "../../workspace/edit-target.ts";

/** An edit that failed, in two sentences, with how long the file is. An error of our own making is passed on as it is. */
export function editFailure(of: {
  readonly kind: "edit-file" | "search-replace";
  readonly target: EditTarget;
  readonly message?: string;
  readonly error?: unknown;
}): Error {
  const { kind, target } = of;
  const name = target.place.relative;
  const error = of.error === undefined ? undefined : AppError.from(of.error);
  if (error?.code === "internal") return error;
  const happened = `${name} was not changed: ${of.message ?? error?.message ?? "the edit does not fit"}`;
  const sentences = toolError(
    `${name} was not changed`,
    /[.!?]$/.test(happened) ? happened : `${happened}.`,
    "Correct the call and send it again.",
  );
  return new ToolFailure({ ...sentences, edit: { kind, numLinesInFileBeforeEdit: target.lineCount } });
}
