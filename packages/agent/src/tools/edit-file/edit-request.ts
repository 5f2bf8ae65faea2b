import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { isPatch } from "../../edits/parse-patch.ts";
import type { LineSpan } from "../../edits/replace-text.ts";
import { numberOf, textOf } from "../workspace-tool.ts";

/** What a call of edit_file asks for, told apart by what it sends. */
export type EditRequest =
  | { readonly kind: "whole"; readonly contents: string }
  | { readonly kind: "replace"; readonly search: string; readonly replacement: string }
  | { readonly kind: "cell"; readonly index: number; readonly edit: CellEdit }
  | { readonly kind: "patch"; readonly patch: string };

/** A change of one cell of a notebook. */
export type CellEdit =
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "replace"; readonly search: string; readonly replacement: string };

/** Reads the arguments. Throws `invalid_request` for ones that ask for nothing, or for two things. */
export function readRequest(args: JsonObject): EditRequest {
  const contents = textOf(args, "contents");
  const search = args["oldString"];
  const replacement = args["newString"];
  const isReplace = typeof search === "string" || typeof replacement === "string";
  if (isReplace && contents !== "") {
    throw new AppError("invalid_request", "contents: send either contents or oldString and newString, not both");
  }
  const index = numberOf(args, "notebookCellIdx");
  if (index !== undefined) return { kind: "cell", index, edit: readCellEdit(args) };
  if (args["isNewCell"] === true) {
    throw new AppError("invalid_request", "notebookCellIdx: say in front of which cell the new one goes, from 0");
  }
  if (isReplace) {
    return { kind: "replace", search: textOf(args, "oldString"), replacement: textOf(args, "newString") };
  }
  if (contents === "") {
    throw new AppError("invalid_request", "contents: send the new contents, or oldString and newString");
  }
  if (isPatch(contents) && !/\.(?:patch|diff)$/.test(textOf(args, "relativeWorkspacePath"))) {
    return { kind: "patch", patch: contents };
  }
  return { kind: "whole", contents };
}

/** The ranges that a match must lie in. Throws `invalid_request` for one that ends before it begins. */
export function rangesOf(args: JsonObject): readonly LineSpan[] {
  const ranges = args["lineRanges"];
  if (!Array.isArray(ranges)) return [];
  return (ranges as JsonObject[]).map((range, index) => {
    const first = numberOf(range, "startLineNumber") ?? 1;
    const last = numberOf(range, "endLineNumberInclusive") ?? Number.MAX_SAFE_INTEGER;
    if (last < first) throw new AppError("invalid_request", `lineRanges.${index}: it ends before it begins`);
    return { first, last };
  });
}

function readCellEdit(args: JsonObject): CellEdit {
  const search = textOf(args, "oldString");
  const replacement = args["newString"];
  const text = typeof replacement === "string" ? replacement : textOf(args, "contents");
  if (args["isNewCell"] === true) return { kind: "insert", text };
  return search === "" ? { kind: "whole", text } : { kind: "replace", search, replacement: text };
}
