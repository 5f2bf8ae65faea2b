import { statSync, type Stats } from "node:fs";
import { AppError } from "@quarry/base";
import type { ToolContext, ToolPlace } from "../tool.ts";
import { changeOf } from "./change-of.ts";
import { refuseGuarded, refuseHidden } from "./protected-paths.ts";
import { nameBinary } from "./read-image.ts";
import { readSmallFile } from "./read-small-file.ts";
import { isMissing, resolvePath, type WorkspacePath } from "./resolve-path.ts";
import type { FileNote } from "./session-files.ts";
import { contentIdOf, countLines, decodeText, encodeText, type TextEncoding } from "./text-file.ts";
import type { WorkspaceDeps } from "./workspace-deps.ts";

/** What editing files needs. */
export type EditDeps = Pick<
  WorkspaceDeps,
  "rootsOf" | "protectedPaths" | "locks" | "history" | "sessionFiles" | "lints"
>;

/** A text file that may be changed, or a place where one may be made. */
export interface EditTarget {
  readonly place: WorkspacePath;
  readonly exists: boolean;
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly contentId: string | undefined;
  readonly size: number;
  readonly lineCount: number;
}

/** The largest file that is edited; a larger one is no source text. */
const MAX_EDITED_BYTES = 50 * 1024 * 1024;

/** Looks at what is to be edited. Throws `forbidden` for a place that tools may not change, `unprocessable` for what is no text. */
export async function openTarget(
  deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths">,
  session: ToolPlace,
  given: string,
): Promise<EditTarget> {
  const place = await resolvePath(deps.rootsOf(session), given);
  await refuseHidden(deps.protectedPaths, place);
  refuseGuarded(place);
  const found = lookAt(place);
  if (found === undefined) {
    return { place, exists: false, text: "", encoding: "utf8", contentId: undefined, size: 0, lineCount: 0 };
  }
  if (found.isDirectory()) throw new AppError("invalid_request", `${place.relative || "."} is a directory`);
  if (!found.isFile()) throw new AppError("invalid_request", `${place.relative} is no regular file`);
  if (found.size > MAX_EDITED_BYTES) {
    throw new AppError(
      "too_large",
      `${place.relative} has ${found.size} bytes; at most ${MAX_EDITED_BYTES} are edited`,
    );
  }
  const bytes = await readSmallFile(place.absolute);
  const decoded = decodeText(bytes);
  if (decoded === undefined) {
    throw new AppError("unprocessable", `${place.relative} is ${nameBinary(bytes)}, which cannot be edited as text`);
  }
  const { text, encoding } = decoded;
  return {
    place,
    exists: true,
    text,
    encoding,
    contentId: contentIdOf(bytes),
    size: bytes.length,
    lineCount: countLines(text),
  };
}

function lookAt({ absolute, relative }: WorkspacePath): Stats | undefined {
  try {
    return statSync(absolute);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new AppError("forbidden", `${relative} cannot be looked at`, { cause: error });
  }
}

/** What a write did. */
export interface WrittenText {
  readonly contentId: string;
  readonly changeId: string;
}

/** Writes a target's new text in its own encoding, so that it can be taken back; the caller holds its lock. Throws `unprocessable` for a text that the encoding has no letters for. */
export async function writeTarget(
  deps: EditDeps,
  context: ToolContext,
  edit: {
    readonly target: EditTarget;
    readonly text: string;
    readonly editor?: string | undefined;
    /** The call, for one that may be asked for again. */
    readonly call?: FileNote["edit"];
  },
): Promise<WrittenText> {
  const { target, text, editor, call } = edit;
  const bytes = encodeTarget(target, text);
  const change = await deps.history.make(changeOf(context, target.place, editor), { kind: "file", bytes });
  const contentId = change.after.kind === "file" ? change.after.contentId : contentIdOf(bytes);
  const { id } = context.session;
  const seen = (await deps.sessionFiles.of(id, target.place.absolute)).contentId;
  // What the session did not see before the edit it has not seen now either.
  await deps.sessionFiles.note(id, target.place.absolute, {
    ...(seen === undefined || seen === target.contentId ? { contentId } : {}),
    ...(call === undefined ? {} : { edit: call }),
  });
  return { contentId, changeId: change.id };
}

/** Throws `conflict` when a file is no longer what the session last saw of it. */
export async function refuseStale(deps: EditDeps, session: ToolPlace, target: EditTarget): Promise<void> {
  const { contentId: seen } = await deps.sessionFiles.of(session.id, target.place.absolute);
  if (seen === undefined || seen === target.contentId) return;
  const what = target.exists ? "has changed" : "was deleted";
  throw new AppError(
    "conflict",
    `${target.place.relative} ${what} since you read it; read it again before you write it`,
  );
}

/** A target's new text as bytes. Throws `unprocessable` for one that its encoding has no letters for. */
export function encodeTarget({ encoding, place }: EditTarget, text: string): Buffer {
  const bytes = encodeText(text, encoding);
  if (bytes !== undefined) return bytes;
  throw new AppError(
    "unprocessable",
    `${place.relative} is written in ${encoding}, which lacks a character of the new text; use others, or convert the file first`,
  );
}
