import { lstat, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2, protocolMessage } from "@quarry/contract";
import type { ImageProvider, ReferenceImage } from "../../screen/image-provider.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import { refuseGuarded, refuseHidden } from "../../workspace/protected-paths.ts";
import { readImage } from "../../workspace/read-image.ts";
import { resolvePath, type WorkspacePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, textsOf, workspaceTool } from "../workspace-tool.ts";

/** What drawing images needs; without a provider every call says how to set one. */
export interface ImageDeps extends Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "locks" | "history"> {
  readonly images: ImageProvider | undefined;
}

const DIRECTORY = "images";
const MAX_REFERENCES = 8;
const MAX_REFERENCE_BYTES = 10 * 1024 * 1024;
/** How many questions about overwriting are remembered. */
const MAX_ASKED = 1_000;
const RUN_MS = 180_000;

/** agent.v1 GenerateImage: draws an image by its description and writes it into the workspace. */
export function generateImageTool(deps: ImageDeps): Tool {
  /** Calls whose question said that a file is written over. */
  const asked = new Set<string>();
  const tool = workspaceTool(deps, {
    name: "generate_image",
    clientTool: ClientSideToolV2.GENERATE_IMAGE,
    title: "Generate an image",
    description: "Draws an image by a description and saves it in the workspace.",
    tier: "write",
    // It has no messages in aiserver.v1: those of agent.v1 are put in their place below.
    messages: "ComputerUse",
    properties: {
      description: { type: "string", minLength: 1, maxLength: 32_000, description: "What to draw" },
      filePath: { type: "string", description: "Where to write it, in the workspace" },
      referenceImagePaths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        maxItems: MAX_REFERENCES,
        description: "Images of the workspace to go by",
      },
    },
    required: ["description"],
    pathsOf: () => [],
    look: async (args, context) => {
      const place = await targetOf(deps, args, context);
      if (!(await isThere(place))) return { paths: [place.relative] };
      asked.add(keyOf(context));
      const [oldest] = asked;
      if (asked.size > MAX_ASKED && oldest !== undefined) asked.delete(oldest);
      const alwaysAsk = [`it writes over ${place.relative}, which is there already`];
      return { paths: [place.relative], risk: "high", alwaysAsk };
    },
    run: async (args, context) => {
      const isAsked = asked.delete(keyOf(context));
      return generate(deps, args, { context, isAsked });
    },
    refuse: (_, reason) => ({ error: { error: `The person declined: ${reason}` } }),
    agent: {
      member: "generateImageToolCall",
      fromArgs: ({ description = "", filePath, referenceImagePaths = [] }) => ({
        description,
        referenceImagePaths,
        ...(filePath === undefined ? {} : { filePath }),
      }),
      toResult,
    },
  });
  return {
    ...tool,
    args: protocolMessage("agent.v1.GenerateImageArgs"),
    result: protocolMessage("agent.v1.GenerateImageResult"),
    schema: { ...tool.schema, title: "agent.v1.GenerateImageArgs" },
    annotations: { ...tool.annotations, idempotent: false, openWorld: true },
    members: {
      params: "generateImageParams",
      result: "generateImageResult",
      agentCall: "generateImageToolCall",
    },
    runMs: RUN_MS,
  };
}

async function generate(
  deps: ImageDeps,
  args: JsonObject,
  by: { readonly context: ToolContext; readonly isAsked: boolean },
): Promise<JsonObject> {
  const { context, isAsked } = by;
  const { session, signal, toolCallId } = context;
  if (deps.images === undefined) return { error: { error: NO_PROVIDER } };
  const place = await targetOf(deps, args, context);
  const references = await Promise.all(
    textsOf(args, "referenceImagePaths").map((each) => readReference(deps, each, context)),
  );
  const bytes = await deps.images.draw({ description: textOf(args, "description"), references }, signal);
  const image = readImage(bytes);
  if (image === undefined) throw new AppError("upstream_failed", "the provider sent something that is no image");
  return deps.locks.hold([place.absolute], async () => {
    if (!isAsked && (await isThere(place))) {
      throw new AppError(
        "conflict",
        `${place.relative} is there already and nobody was asked about writing over it, so nothing was written; name another file, or call again`,
      );
    }
    const change = { sessionId: session.id, toolCallId, absolute: place.absolute };
    await deps.history.make(change, { kind: "file", bytes });
    const imageData = `data:${image.mediaType};base64,${bytes.toString("base64")}`;
    return { success: { filePath: place.relative, imageData } };
  });
}

const NO_PROVIDER =
  "No provider of images is configured, so nothing was drawn. The operator sets QUARRY_IMAGE_URL (an OpenAI-compatible address such as https://api.openai.com/v1), QUARRY_IMAGE_KEY and QUARRY_IMAGE_MODEL; go on without the image.";

/** The named file, or one named after the description. */
async function targetOf(deps: ImageDeps, args: JsonObject, { session }: ToolContext): Promise<WorkspacePath> {
  const slug = textOf(args, "description")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60);
  const given = textOf(args, "filePath") || `${DIRECTORY}/${slug || "image"}.png`;
  const place = await resolvePath(deps.rootsOf(session), given);
  await refuseHidden(deps.protectedPaths, place);
  refuseGuarded(place);
  const isDirectory = await stat(place.absolute).then(
    (found) => found.isDirectory(),
    () => false, // nothing there yet
  );
  if (isDirectory)
    throw new AppError("invalid_request", `filePath: ${place.relative || "."} is a directory; name a file`);
  return place;
}

async function readReference(deps: ImageDeps, given: string, { session }: ToolContext): Promise<ReferenceImage> {
  const place = await resolvePath(deps.rootsOf(session), given);
  await refuseHidden(deps.protectedPaths, place);
  const size = await stat(place.absolute).then(
    (found) => found.size,
    () => undefined, // said below
  );
  if (size === undefined) throw new AppError("not_found", `referenceImagePaths: there is no ${place.relative}`);
  if (size > MAX_REFERENCE_BYTES) {
    throw new AppError(
      "too_large",
      `referenceImagePaths: ${place.relative} has ${size} bytes, more than ${MAX_REFERENCE_BYTES}`,
    );
  }
  const bytes = await readFile(place.absolute);
  const image = readImage(bytes);
  if (image === undefined) throw new AppError("invalid_request", `referenceImagePaths: ${place.relative} is no image`);
  return { name: path.basename(place.relative), mediaType: image.mediaType, bytes };
}

async function isThere(place: WorkspacePath): Promise<boolean> {
  return lstat(place.absolute).then(
    () => true,
    () => false, // then there is nothing to lose
  );
}

function keyOf({ session, toolCallId }: ToolContext): string {
  return JSON.stringify([session.id, toolCallId]);
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  return outcome.kind === "succeeded" ? outcome.result : { error: { error: failureText(outcome) } };
}
