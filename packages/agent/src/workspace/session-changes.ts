import { AppError } from "@quarry/base";
import { diffTexts, toUnifiedDiff } from "../edits/file-diff.ts";
import type { ToolPlace } from "../tool.ts";
import type { Contents } from "./edit-history.ts";
import { decodeText } from "./text-file.ts";
import {
  compareCheckpoint,
  listCheckpoints,
  restoreCheckpoint,
  undoChange,
  type Checkpoint,
  type UndoDeps,
  type UndoOutcome,
} from "./undo-changes.ts";

/** How much of one file's difference is shown. */
const MAX_DIFF_CHARACTERS = 20_000;

/** A file that restoring a checkpoint would change. */
export interface CheckpointDifference {
  readonly path: string;
  /** From what is there now to what was there then; empty where one of the two is no text. */
  readonly diff: string;
}

/** What sessions changed on this machine, and the ways back, for the doors. */
export interface SessionChanges {
  readonly checkpoints: (sessionId: string) => Promise<readonly Checkpoint[]>;
  /** Throws `not_found`. */
  readonly compare: (sessionId: string, checkpointId: string) => Promise<readonly CheckpointDifference[]>;
  /** All or nothing. Throws `not_found`, and `conflict` naming the files that someone else changed since. */
  readonly restore: (session: ToolPlace, checkpointId: string) => Promise<Undone>;
  /** Throws as `restore` does. */
  readonly undo: (session: ToolPlace, changeId: string) => Promise<Undone>;
}

type Undone = Extract<UndoOutcome, { kind: "undone" }>;

/** Makes the ways back of a workspace. */
export function createSessionChanges(deps: UndoDeps): SessionChanges {
  const textOf = async (contents: Contents): Promise<string | undefined> => {
    if (contents.kind === "nothing") return "";
    return contents.kind === "link" ? contents.target : decodeText(await deps.history.read(contents.contentId))?.text;
  };
  return {
    checkpoints: (sessionId) => listCheckpoints(deps, sessionId),
    compare: async (sessionId, checkpointId) => {
      const files = await compareCheckpoint(deps, sessionId, checkpointId);
      return Promise.all(
        files.map(async ({ absolute, then, now }) => {
          const [before, after] = [await textOf(now), await textOf(then)];
          const isText = before !== undefined && after !== undefined;
          return {
            path: absolute,
            diff: isText ? toUnifiedDiff(absolute, diffTexts(before, after), MAX_DIFF_CHARACTERS) : "",
          };
        }),
      );
    },
    restore: async (session, checkpointId) => required(await restoreCheckpoint(deps, session, checkpointId)),
    undo: async (session, changeId) => required(await undoChange(deps, session, changeId)),
  };
}

function required(outcome: UndoOutcome): Undone {
  if (outcome.kind === "undone") return outcome;
  const files = outcome.files.join(", ");
  throw new AppError("conflict", `nothing was taken back: ${files} changed since by other means; look at it first`);
}
