import type { JsonObject } from "@bufbuild/protobuf";
import { AppError, makeId } from "@quarry/base";
import { applyLazyEdit } from "../../edits/lazy-edit.ts";
import { cellText, formatNotebook, parseNotebook, withCellText, withNewCell } from "../../edits/notebook.ts";
import { findOmissions } from "../../edits/omission.ts";
import { looksPartial } from "../../edits/partial-contents.ts";
import { replaceText, type LineSpan, type ReplaceOutcome } from "../../edits/replace-text.ts";
import { eolOf } from "../../workspace/text-file.ts";
import type { EditTarget } from "../../workspace/edit-target.ts";
import { textOf } from "../workspace-tool.ts";
import { rangesOf, type EditRequest } from "./edit-request.ts";

/** What an edit would make of a file. Nothing is written by planning. */
export type EditPlan =
  | {
      readonly kind: "edited";
      readonly text: string;
      /** How many places a search had; undefined for an edit that searches nothing. */
      readonly numMatches?: number;
      readonly isByWhitespace?: boolean;
    }
  /** A model can mend it: the search stands nowhere, or at several places. */
  | {
      readonly kind: "recoverable";
      readonly type: "not-found" | "ambiguous";
      readonly message: string;
      readonly numMatches: number;
      readonly isOutsideRanges: boolean;
    };

/** Over these a file counts as large. */
const LARGE_BYTES = 1_000_000;
const LARGE_LINES = 10_000;
const MAX_LISTED_PLACES = 20;

/** Works out an edit of one file. Throws `invalid_request`, `not_found` or `unprocessable` with what to do instead. */
export function planEdit(
  args: JsonObject,
  request: Exclude<EditRequest, { kind: "patch" }>,
  target: EditTarget,
): EditPlan {
  refuseLarge(args, target);
  const name = target.place.relative;
  switch (request.kind) {
    case "whole":
      return { kind: "edited", text: withLineEnds(target, wholeText(target, request.contents)) };
    case "replace": {
      if (request.search === "") return planCreation(target, request.replacement);
      if (!target.exists)
        throw new AppError("not_found", `there is no file ${name}; create it with an empty oldString`);
      return planReplacement(args, request, { name, text: target.text });
    }
    case "cell":
      return planCell(args, request, target);
  }
}

function planCreation(target: EditTarget, contents: string): EditPlan {
  if (target.text.trim() !== "") {
    throw new AppError(
      "invalid_request",
      `oldString: it is empty, but ${target.place.relative} has ${target.lineCount} lines; name the text to replace`,
    );
  }
  refuseOmissions(contents, "");
  return { kind: "edited", text: withLineEnds(target, contents) };
}

function planReplacement(
  args: JsonObject,
  edit: { readonly search: string; readonly replacement: string },
  of: { readonly name: string; readonly text: string },
): EditPlan {
  const { search, replacement } = edit;
  if (search === replacement) {
    throw new AppError("invalid_request", "newString: it is the same as oldString, so nothing would change");
  }
  refuseOmissions(replacement, search);
  const outcome = replaceText(of.text, {
    search,
    replacement,
    allowsMany: args["allowMultipleMatches"] === true,
    // Left out counts as yes: the fallbacks find one place or none.
    forgivesWhitespace: args["useWhitespaceInsensitiveFallback"] !== false,
    allowsFuzzy: args["useDidYouMeanFuzzyMatch"] === true,
    within: rangesOf(args),
  });
  return fromOutcome(outcome, of.name);
}

function fromOutcome(outcome: ReplaceOutcome, name: string): EditPlan {
  switch (outcome.kind) {
    case "replaced":
      return {
        kind: "edited",
        text: outcome.text,
        numMatches: outcome.places.length,
        isByWhitespace: outcome.isByWhitespace,
      };
    case "ambiguous": {
      const message = `oldString stands at ${outcome.places.length} places of ${name}: ${listPlaces(outcome.places)}. Add lines around it until it is the only one, give lineRanges, or set allowMultipleMatches.`;
      return recoverable("ambiguous", message, outcome.places.length);
    }
    case "outside-ranges": {
      const message = `oldString is in ${name}, but outside of lineRanges: ${listPlaces(outcome.places)}. Correct the ranges, or leave them out.`;
      return { ...recoverable("not-found", message, 0), isOutsideRanges: true };
    }
    case "unclear-indent": {
      const { first, last } = outcome.place;
      const message = `oldString is in ${name} at lines ${first} to ${last} with another indentation, and how deep the new lines belong cannot be told. Send both texts indented as the file is.\n${outcome.miss.message}`;
      return recoverable("not-found", message, 1);
    }
    case "missing":
      return recoverable("not-found", `oldString was not found in ${name}. ${outcome.miss.message}`, 0);
  }
}

function planCell(args: JsonObject, request: Extract<EditRequest, { kind: "cell" }>, target: EditTarget): EditPlan {
  const name = target.place.relative;
  const { index, edit } = request;
  const language = textOf(args, "cellLanguage") || undefined;
  const notebook = parseNotebook(name, target.text);
  const edited = (changed: typeof notebook, numMatches?: number): EditPlan => ({
    kind: "edited",
    text: withLineEnds(target, formatNotebook(changed, target.text)),
    ...(numMatches === undefined ? {} : { numMatches }),
  });
  if (edit.kind === "insert") {
    const cell = { text: edit.text, language, id: makeId("cell").replaceAll("_", "-") };
    return edited(withNewCell(notebook, index, cell));
  }
  const text = cellText(notebook, index);
  if (edit.kind === "whole") return edited(withCellText(notebook, index, { text: edit.text, language }));
  const plan = planReplacement(args, edit, { name: `cell ${index} of ${name}`, text });
  if (plan.kind !== "edited") return plan;
  return { ...plan, ...edited(withCellText(notebook, index, { text: plan.text, language })) };
}

/** Contents as they are, or with what they leave out put back. */
function wholeText(target: EditTarget, contents: string): string {
  const lazy = applyLazyEdit(target.text, contents);
  if (lazy.kind === "applied") return lazy.text;
  if (lazy.kind === "refused") {
    throw new AppError(
      "unprocessable",
      `contents: they leave code out, and it cannot be put back for certain: ${lazy.reason}; send the whole file, or oldString and newString`,
    );
  }
  const part = looksPartial(target.text, contents);
  if (part === undefined) return contents;
  throw new AppError(
    "unprocessable",
    `contents: they look like a part of ${target.place.relative} (${part}) and would replace all of it; send oldString and newString, or the whole file with edit_file_v2`,
  );
}

/** A file's own line ends, where the text does not bring any of that kind. */
export function withLineEnds(target: Pick<EditTarget, "text" | "exists">, text: string): string {
  if (!target.exists || eolOf(target.text) !== "\r\n" || text.includes("\r\n")) return text;
  return text.replaceAll("\n", "\r\n");
}

/** Throws `unprocessable` for new text that stands for code left out. */
export function refuseOmissions(wanted: string, old: string): void {
  const [first] = findOmissions(wanted, old);
  if (first === undefined) return;
  throw new AppError(
    "unprocessable",
    `newString: line ${first.line} leaves code out (${first.text}), which would be written as it is; send all of the code`,
  );
}

function refuseLarge(args: JsonObject, { place, size, lineCount }: EditTarget): void {
  if (args["shouldEditFileFailForLargeFiles"] !== true || (size <= LARGE_BYTES && lineCount <= LARGE_LINES)) return;
  throw new AppError(
    "too_large",
    `${place.relative} has ${size} bytes and ${lineCount} lines, over the ${LARGE_BYTES} bytes or ${LARGE_LINES} lines that shouldEditFileFailForLargeFiles allows`,
  );
}

function recoverable(
  type: "not-found" | "ambiguous",
  message: string,
  numMatches: number,
): Extract<EditPlan, { kind: "recoverable" }> {
  return { kind: "recoverable", type, message, numMatches, isOutsideRanges: false };
}

function listPlaces(places: readonly LineSpan[]): string {
  const shown = places
    .slice(0, MAX_LISTED_PLACES)
    .map(({ first, last }) => (first === last ? `line ${first}` : `lines ${first} to ${last}`));
  const more = places.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
