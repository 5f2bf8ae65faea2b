import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { CallOutcome, Tool } from "../../tool.ts";
import { matchingRules } from "../../workspace/cursor-rules.ts";
import { cutText } from "../../workspace/cut-text.ts";
import {
  drawPages,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  scaleDown,
  type LoadCanvas,
  type Picture,
} from "../../workspace/draw-pictures.ts";
import { openFile } from "../../workspace/open-file.ts";
import { nameBinary, readImage } from "../../workspace/read-image.ts";
import { pageOf, readPdfText } from "../../workspace/read-pdf.ts";
import { contentIdOf, decodeText, linesOf } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, numberOf, textOf, workspaceTool } from "../workspace-tool.ts";

/** What one reading may take of the model's room, unless the caller wants less. */
const MAX_CHARACTERS = 100_000;
/**
 * aiserver.v1 ReadFileV2: lines of a file, the text of a PDF with pictures of its
 * pages, or an image, scaled down. Lines count from 1, from the end when negative.
 */
export function readFileV2Tool(
  deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside"> & { readonly loadCanvas?: LoadCanvas },
): Tool {
  return workspaceTool(deps, {
    name: "read_file_v2",
    clientTool: ClientSideToolV2.READ_FILE_V2,
    title: "Read a file",
    description:
      "Reads lines of a file (at most 100,000 characters), the text of a PDF with its first pages as pictures, or an image.",
    tier: "read",
    messages: "ReadFileV2",
    properties: {
      targetFile: { type: "string", description: "The file, relative to the workspace or absolute" },
      offset: { type: "integer", description: "The first line, from 1; negative counts from the end" },
      limit: { type: "integer", minimum: 0, description: "How many lines" },
      charsLimit: { type: "integer", minimum: 0, description: "The most characters" },
      effectiveUri: { type: "string", description: "The resolved file, instead of targetFile" },
      enableLineNumbers: { type: "boolean", description: "Put the number of each line in front of it" },
    },
    required: [],
    pathsOf: (args) => [pathOf(args)],
    run: async (args, context) => {
      const { place, bytes } = await openFile(deps, context.session, pathOf(args));
      const rules = await matchingRules(place.root, place.relative);
      const common = rules.length === 0 ? {} : { matchingCursorRules: [...rules] };
      const image = readImage(bytes);
      if (image !== undefined) return { ...common, ...(await showImage({ bytes, ...image }, deps.loadCanvas)) };
      if (bytes.toString("latin1", 0, 5) === "%PDF-") {
        const drawing = { load: deps.loadCanvas, signal: context.signal };
        return { ...common, ...(await showPdf(bytes, args, drawing)) };
      }
      const text = decodeText(bytes)?.text;
      if (text === undefined) {
        throw new AppError("unprocessable", `${place.relative} is ${nameBinary(bytes)}, which cannot be shown as text`);
      }
      return { ...common, ...cutLines(text, args) };
    },
    agent: { member: "readToolCall", fromArgs: fromReadArgs, toResult: toReadResult },
  });
}

function pathOf(args: JsonObject): string {
  const path = textOf(args, "effectiveUri") || textOf(args, "targetFile");
  if (path === "") throw new AppError("invalid_request", "targetFile: name the file to read");
  return path;
}

function cutLines(text: string, args: JsonObject): JsonObject {
  const lines = linesOf(text);
  const first = firstLine(lines, args);
  const total: JsonObject = { totalLinesInFile: lines.length };
  if (first >= lines.length && lines.length > 0) {
    return { ...total, contents: "", offsetIsBiggerThanNumberOfLinesInFile: true };
  }
  const limit = numberOf(args, "limit") ?? lines.length;
  const hasNumbers = args["enableLineNumbers"] === true;
  const wanted = lines.slice(first, first + limit);
  const range = wanted
    .map((line, at) => (hasNumbers ? `${String(first + at + 1).padStart(6)}|${line}` : line))
    .join("\n");
  const room = Math.min(numberOf(args, "charsLimit") || MAX_CHARACTERS, MAX_CHARACTERS);
  return { ...total, contents: cutText(range, room), numCharactersInRequestedRange: range.length };
}

function firstLine(lines: readonly string[], args: JsonObject): number {
  const offset = numberOf(args, "offset") ?? 1;
  return offset < 0 ? Math.max(0, lines.length + offset) : Math.max(1, offset) - 1;
}

/** A small image as it is, a large one scaled down. Where nothing can draw, one that fits is passed on as it is, and that is said. */
async function showImage(
  image: Picture & { readonly mediaType: string },
  load: LoadCanvas | undefined,
): Promise<JsonObject> {
  const { width, height, bytes } = image;
  if (Math.max(width, height) <= MAX_PICTURE_SIDE && bytes.length <= MAX_PICTURE_BYTES) {
    return { images: [toImage(image)] };
  }
  try {
    return { images: [toImage(await scaleDown(image, load))] };
  } catch (error) {
    const reason = AppError.from(error);
    if (reason.code !== "unavailable" || bytes.length > MAX_PICTURE_BYTES) throw error;
    return { contents: `[not scaled down: ${reason.message}]`, images: [toImage(image)] };
  }
}

/** The asked lines, and pictures of the pages they stand on. */
async function showPdf(
  bytes: Buffer,
  args: JsonObject,
  drawing: { readonly load: LoadCanvas | undefined; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const text = await readPdfText(bytes);
  const shown = cutLines(text, args);
  const pages = pagesOf(linesOf(text), args);
  if (pages.length === 0) return shown;
  const { load, signal } = drawing;
  try {
    const drawn = await drawPages(bytes, pages, { ...(load === undefined ? {} : { load }), signal });
    return { ...shown, images: drawn.map(toImage) };
  } catch (error) {
    signal.throwIfAborted();
    // The text is what most come for: it is not lost because a page cannot be drawn.
    return { ...shown, contents: `${textOf(shown, "contents")}\n[no pictures: ${AppError.from(error).message}]` };
  }
}

/** The numbers of the pages that the asked lines stand on. */
function pagesOf(lines: readonly string[], args: JsonObject): readonly number[] {
  const first = firstLine(lines, args);
  const end = first + (numberOf(args, "limit") ?? lines.length);
  let page = 0;
  const pages = new Set<number>();
  for (const [at, line] of lines.slice(0, end).entries()) {
    page = pageOf(line) ?? page;
    if (at >= first && page > 0) pages.add(page);
  }
  return [...pages];
}

function toImage({ bytes, width, height }: Picture): JsonObject {
  return { data: bytes.toString("base64"), dimension: { width, height }, uuid: contentIdOf(bytes).slice(0, 32) };
}

function fromReadArgs(args: JsonObject): JsonObject {
  const { path, offset, limit, includeLineNumbers } = args;
  return {
    targetFile: path ?? "",
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(includeLineNumbers === undefined ? {} : { enableLineNumbers: includeLineNumbers }),
  };
}

function toReadResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { errorMessage: failureText(outcome) } };
  const { contents, totalLinesInFile, numCharactersInRequestedRange, images, matchingCursorRules } = outcome.result;
  const [image] = Array.isArray(images) ? (images as JsonObject[]) : [];
  const shown = typeof contents === "string" ? contents : "";
  const lines = linesOf(shown).length;
  const offset = numberOf(args, "offset") ?? 1;
  const total = typeof totalLinesInFile === "number" ? totalLinesInFile : 0;
  const startLine = offset < 0 ? Math.max(1, total + offset + 1) : Math.max(1, offset);
  const rules = Array.isArray(matchingCursorRules) ? (matchingCursorRules as JsonObject[]) : [];
  return {
    success: {
      path: pathOf(args),
      ...(image === undefined ? { content: shown } : { data: image["data"] ?? "" }),
      isEmpty: image === undefined && total === 0,
      exceededLimit: shown.length < Number(numCharactersInRequestedRange ?? 0),
      totalLines: total,
      ...(lines === 0 ? {} : { readRange: { startLine, endLine: startLine + lines - 1 } }),
      ...(args["enableLineNumbers"] === true ? { includeLineNumbers: true } : {}),
      relatedCursorRulePaths: rules.map((rule) => textOf(rule, "fullPath")),
    },
  };
}
