import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { applyHunks } from "../../edits/apply-hunks.ts";
import { applyLazyEdit } from "../../edits/lazy-edit.ts";
import { sidesOf, type PatchHunk } from "../../edits/parse-patch.ts";
import type { EditTarget } from "../../workspace/edit-target.ts";
import { withLineEnds } from "../edit-file/plan-edit.ts";
import { numberOf, textOf } from "../workspace-tool.ts";
import { readFences } from "./read-fences.ts";

/** What a file becomes. `isWhole` when it was written without regard to what is there, so that a stale view would lose work. */
export interface NextText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Reads the new text from the arguments: final contents, else streamed text or code, else a diff, else what came so far. Throws `invalid_request` or `unprocessable`. */
export function nextText(args: JsonObject, target: EditTarget): NextText {
  const final = args["contentsAfterEdit"];
  if (typeof final === "string") return { text: withLineEnds(target, final), isWhole: true };
  const streamed = streamedText(args);
  if (streamed !== undefined) return { text: withLineEnds(target, fillIn(target, streamed)), isWhole: true };
  const diff = args["diff"];
  if (typeof diff === "object" && diff !== null && !Array.isArray(diff)) {
    return { text: applyDiff(target, diff), isWhole: false };
  }
  const soFar = args["streamingContent"];
  if (typeof soFar === "string" && args["waitingForFileContents"] === true) return { text: soFar, isWhole: true };
  const fix =
    typeof soFar === "string"
      ? "streamingContent is only what came so far; set waitingForFileContents to preview it, or send all"
      : "send the final contents, text, code or a diff";
  throw new AppError("invalid_request", `contentsAfterEdit: ${fix}`);
}

function streamedText(args: JsonObject): string | undefined {
  const text = args["text"];
  const code = args["code"];
  if (typeof code === "object" && code !== null && !Array.isArray(code)) return textOf(code, "code");
  if (typeof text !== "object" || text === null || Array.isArray(text)) return undefined;
  const given = textOf(text, "text");
  return args["noCodeblock"] === true ? given : withoutFence(given);
}

/** What stands in the one code block of a text; the text itself when it has none. */
function withoutFence(text: string): string {
  const blocks = readFences(text);
  if (blocks.length > 1) {
    throw new AppError("invalid_request", "text: it has several code blocks; send one, or set noCodeblock");
  }
  return blocks[0] ?? text;
}

function fillIn(target: EditTarget, wanted: string): string {
  const lazy = applyLazyEdit(target.text, wanted);
  if (lazy.kind === "applied") return lazy.text;
  if (lazy.kind === "whole") return wanted;
  throw new AppError(
    "unprocessable",
    `the new text leaves code out, and it cannot be put back for certain: ${lazy.reason}; send all of the file`,
  );
}

function applyDiff(target: EditTarget, diff: JsonObject): string {
  const chunks = Array.isArray(diff["chunks"]) ? (diff["chunks"] as JsonObject[]) : [];
  if (chunks.length === 0) throw new AppError("invalid_request", "diff.chunks: it changes nothing");
  const outcome = applyHunks(target.text, chunks.map(toHunk));
  if (outcome.kind === "patched") return outcome.text;
  const chunk = `diff.chunks.${outcome.hunk - 1}`;
  throw new AppError(
    "unprocessable",
    outcome.kind === "missing"
      ? `${chunk}: it does not fit. ${outcome.miss.message}`
      : `${chunk}: it fits at lines ${outcome.lines.join(", ")}; set oldStart, or show more lines around it`,
  );
}

function toHunk(chunk: JsonObject, index: number): PatchHunk {
  const lines = textOf(chunk, "diffString")
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("@@") && !line.startsWith("\\"));
  const bad = lines.findIndex((line) => line !== "" && !/^[ +-]/.test(line));
  if (bad !== -1) {
    throw new AppError("invalid_request", `diff.chunks.${index}: line ${bad + 1} must begin with a space, + or -`);
  }
  const sides = sidesOf(lines.map((line) => (line === "" ? " " : line)));
  const oldStart = numberOf(chunk, "oldStart");
  return { headers: [], ...sides, isAtEnd: false, ...(oldStart === undefined ? {} : { oldStart }) };
}
