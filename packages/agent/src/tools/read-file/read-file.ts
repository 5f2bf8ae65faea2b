import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool } from "../../tool.ts";
import { matchingRules } from "../../workspace/cursor-rules.ts";
import { openFile } from "../../workspace/open-file.ts";
import { outlineOf, showOutline } from "../../workspace/outline.ts";
import { nameBinary, readImage } from "../../workspace/read-image.ts";
import { readPdfText } from "../../workspace/read-pdf.ts";
import { decodeText, linesOf } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { numberOf, textOf, workspaceTool } from "../workspace-tool.ts";
import { chooseRange } from "./choose-range.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "gitContext">;

/** aiserver.v1 ReadFile: a range of lines with all that tells where it stands: outline, rules, commits. */
export function readFileTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "read_file",
    clientTool: ClientSideToolV2.READ_FILE,
    title: "Read a range of a file",
    description:
      "Reads lines of a file (250 unless asked otherwise) with an outline of the rest, its rules and last commits.",
    tier: "read",
    messages: "ReadFile",
    properties: {
      relativeWorkspacePath: { type: "string", minLength: 1, description: "The file" },
      readEntireFile: { type: "boolean", description: "All of it instead of a range" },
      startLineOneIndexed: { type: "integer", description: "The first line, from 1" },
      endLineOneIndexedInclusive: { type: "integer", description: "The last line" },
      fileIsAllowedToBeReadEntirely: { type: "boolean", description: "A long file may be read whole too" },
      maxLines: { type: "integer", minimum: 0, description: "The most lines" },
      maxChars: { type: "integer", minimum: 0, description: "The most characters, at most 100,000" },
      minLines: { type: "integer", minimum: 0, description: "Widen a shorter range to so many lines" },
    },
    required: ["relativeWorkspacePath"],
    pathsOf: (args) => [textOf(args, "relativeWorkspacePath")],
    run: async (args, context) => {
      const given = textOf(args, "relativeWorkspacePath");
      const { place, bytes } = await openFile(deps, context.session, given);
      const text = await toText(place.relative, bytes);
      const lines = linesOf(text);
      const range = chooseRange(lines, {
        isEntire: args["readEntireFile"] === true,
        isEntireAllowed: args["fileIsAllowedToBeReadEntirely"] === true,
        first: numberOf(args, "startLineOneIndexed"),
        last: numberOf(args, "endLineOneIndexedInclusive"),
        maxLines: numberOf(args, "maxLines") || undefined,
        maxCharacters: numberOf(args, "maxChars") || undefined,
        minLines: numberOf(args, "minLines") || undefined,
      });
      const [rules, commits] = await Promise.all([
        matchingRules(place.root, place.relative),
        deps.gitContext(place.absolute, context.signal),
      ]);
      const outline = range.isWhole ? "" : showOutline(outlineOf(place.relative, lines));
      return {
        contents: range.contents,
        didDowngradeToLineRange: range.didDowngrade,
        didShortenLineRange: range.didShortenLines,
        didSetDefaultLineRange: range.didSetDefault,
        didShortenCharRange: range.didShortenCharacters,
        ...(args["readEntireFile"] === true && range.isWhole ? { fullFileContents: text } : {}),
        ...(outline === "" ? {} : { outline }),
        startLineOneIndexed: range.first,
        endLineOneIndexedInclusive: range.last,
        relativeWorkspacePath: place.relative,
        readFullFile: range.isWhole,
        totalLines: lines.length,
        ...(rules.length === 0 ? {} : { matchingCursorRules: [...rules] }),
        ...(commits.length === 0 ? {} : { fileGitContext: { commits: commits.map((commit) => ({ ...commit })) } }),
      } satisfies JsonObject;
    },
  });
}

async function toText(name: string, bytes: Buffer): Promise<string> {
  if (readImage(bytes) !== undefined) {
    throw new AppError("unprocessable", `${name} is an image, which has no lines; read it with read_file_v2`);
  }
  const text = bytes.toString("latin1", 0, 5) === "%PDF-" ? await readPdfText(bytes) : decodeText(bytes)?.text;
  if (text !== undefined) return text;
  throw new AppError("unprocessable", `${name} is ${nameBinary(bytes)}, which cannot be shown as text`);
}
