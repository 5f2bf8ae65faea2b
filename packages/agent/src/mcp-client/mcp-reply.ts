import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { keepOutput } from "../workspace/keep-output.ts";

/** Where a text that was too long for a reply lies whole. */
export interface OutputLocation {
  readonly filePath: string;
  readonly sizeBytes: number;
  readonly lineCount: number;
}

/** Text over this goes to a file unless the caller says otherwise. */
export const DEFAULT_THRESHOLD_BYTES = 40_000;
/** What is shown of such a text: its beginning, and its end, which often says more. */
const SHOWN_BYTES = 2_000;

/** How a reply is cut. */
export interface ReplyLimits {
  /** The directory of the workspace under which whole texts are kept. */
  readonly root: string;
  readonly toolCallId: string;
  readonly thresholdBytes: number;
}

/**
 * A tool's reply as JSON: its content as it came, images whole, each text over the limit cut to its beginning and end
 * with `outputLocation` naming the file that has all of it.
 */
export async function toReplyJson(result: CallToolResult, limits: ReplyLimits): Promise<JsonObject> {
  const content: JsonValue[] = [];
  for (const [index, item] of result.content.entries()) {
    if (item.type === "text") content.push(await shorten(item.text, limits, index));
    else content.push(toJsonValue(item));
  }
  return {
    content,
    isError: result.isError === true,
    ...(result.structuredContent === undefined ? {} : { structuredContent: toJsonValue(result.structuredContent) }),
  };
}

async function shorten(text: string, limits: ReplyLimits, index: number): Promise<JsonObject> {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= limits.thresholdBytes) return { type: "text", text };
  const filePath = await keepOutput(limits, { index, extension: "txt", bytes: Buffer.from(text) });
  const location: OutputLocation = { filePath, sizeBytes, lineCount: text.split("\n").length };
  const head = text.slice(0, SHOWN_BYTES);
  const tail = text.slice(Math.max(SHOWN_BYTES, text.length - SHOWN_BYTES));
  return {
    type: "text",
    text: `${head}\n… (${sizeBytes} bytes, ${location.lineCount} lines; all of it is in ${filePath}) …\n${tail}`,
    outputLocation: { ...location },
  };
}

/** A reply in one text: images are kept as files and named. */
export async function toReplyText(reply: JsonObject, limits: ReplyLimits): Promise<string> {
  const items = Array.isArray(reply["content"]) ? reply["content"] : [];
  const parts: string[] = [];
  for (const [index, item] of items.entries()) parts.push(await partOf(item, limits, index));
  const text = parts.join("\n");
  return reply["isError"] === true ? `The tool reported an error: ${text}` : text;
}

async function partOf(item: JsonValue, limits: ReplyLimits, index: number): Promise<string> {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "";
  if (typeof item["text"] === "string") return item["text"];
  const { data, mimeType, type } = item;
  if (typeof data !== "string") return JSON.stringify(item);
  const bytes = Buffer.from(data, "base64");
  const media = typeof mimeType === "string" ? mimeType : "";
  const extension = /^\w+\/([a-z0-9]+)/.exec(media)?.[1] ?? "bin";
  const filePath = await keepOutput(limits, { index, extension, bytes });
  return `[${typeof type === "string" ? type : "file"} ${media}, ${bytes.length} bytes, in ${filePath}]`;
}

/** What came as JSON is JSON. */
function toJsonValue(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
