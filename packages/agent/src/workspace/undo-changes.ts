import { AppError, makeId } from "@quarry/base";
import type { ToolPlace } from "../tool.ts";
import { isSameContents, type Contents, type FileChange } from "./edit-history.ts";
import { resolvePath } from "./resolve-path.ts";
import type { WorkspaceDeps } from "./workspace-deps.ts";

/** What taking changes back needs. */
export type UndoDeps = Pick<WorkspaceDeps, "rootsOf" | "locks" | "history">;

/** What became of taking changes back: all of them, or none and the files that someone else changed since. */
export type UndoOutcome =
  | { readonly kind: "undone"; readonly changes: readonly FileChange[] }
  | { readonly kind: "changed-since"; readonly files: readonly string[] };

/** The state of the files before a turn. Its id is that of the turn's first change. */
export interface Checkpoint {
  readonly id: string;
  readonly turnId: string;
  readonly at: string;
  /** The changes of the turn, in their order. */
  readonly changes: readonly FileChange[];
}

/** A file as it was at a checkpoint, and as it is now. */
export interface ChangedFile {
  readonly absolute: string;
  readonly then: Contents;
  readonly now: Contents;
}

/** Takes one change back, unless its file was changed since. That is a change too, and can be taken back. Throws `not_found`. */
export async function undoChange(deps: UndoDeps, session: ToolPlace, changeId: string): Promise<UndoOutcome> {
  const changes = await deps.history.list(session.id);
  const change = changes.find(({ id }) => id === changeId);
  if (change === undefined) throw new AppError("not_found", `there is no change ${changeId} in this session`);
  return putBack(deps, session, [{ last: change, to: change.before, undoes: change.id }]);
}

/** A session's checkpoints, one before each turn that changed files, oldest first. */
export async function listCheckpoints(
  deps: Pick<UndoDeps, "history">,
  sessionId: string,
): Promise<readonly Checkpoint[]> {
  const turns = new Map<string, FileChange[]>();
  for (const change of await deps.history.list(sessionId)) {
    const turnId = change.turnId ?? change.toolCallId;
    const known = turns.get(turnId);
    if (known === undefined) turns.set(turnId, [change]);
    else known.push(change);
  }
  return [...turns].flatMap(([turnId, changes]) => {
    const [first] = changes;
    return first === undefined ? [] : [{ id: first.id, turnId, at: first.at, changes }];
  });
}

/** What restoring a checkpoint would change: each file that was changed since and is not as it was. Throws `not_found`. */
export async function compareCheckpoint(
  deps: Pick<UndoDeps, "history">,
  sessionId: string,
  checkpointId: string,
): Promise<readonly ChangedFile[]> {
  const files = await filesSince(deps, sessionId, checkpointId);
  const compared = await Promise.all(
    files.map(async ({ last, to }) => ({
      absolute: last.absolute,
      then: to,
      now: await deps.history.look(last.absolute),
    })),
  );
  return compared.filter(({ then, now }) => !isSameContents(then, now));
}

/** Brings all files that tools changed since a checkpoint back to what they were; all or none. That is a turn of its own, and can be taken back. Throws `not_found`. */
export async function restoreCheckpoint(
  deps: UndoDeps,
  session: ToolPlace,
  checkpointId: string,
): Promise<UndoOutcome> {
  return putBack(deps, session, await filesSince(deps, session.id, checkpointId));
}

interface WayBack {
  /** The last change that tools made to the file: what must still stand there. */
  readonly last: FileChange;
  readonly to: Contents;
  readonly undoes?: string;
}

async function filesSince(
  deps: Pick<UndoDeps, "history">,
  sessionId: string,
  checkpointId: string,
): Promise<readonly WayBack[]> {
  const changes = await deps.history.list(sessionId);
  const from = changes.findIndex(({ id }) => id === checkpointId);
  if (from === -1) throw new AppError("not_found", `there is no checkpoint ${checkpointId} in this session`);
  const files = new Map<string, WayBack>();
  for (const change of changes.slice(from)) {
    const known = files.get(change.absolute);
    files.set(change.absolute, { last: change, to: known?.to ?? change.before });
  }
  return [...files.values()];
}

async function putBack(deps: UndoDeps, session: ToolPlace, ways: readonly WayBack[]): Promise<UndoOutcome> {
  const paths = ways.map(({ last }) => last.absolute);
  return deps.locks.hold(paths, async () => {
    const looked: (WayBack & { readonly now: Contents })[] = [];
    for (const way of ways) {
      await refuseMoved(deps, session, way.last.absolute);
      looked.push({ ...way, now: await deps.history.look(way.last.absolute) });
    }
    // A process that died between remembering a change and making it left what was there before.
    const foreign = looked.filter(
      ({ now, last, to }) =>
        !isSameContents(now, last.after) && !isSameContents(now, last.before) && !isSameContents(now, to),
    );
    if (foreign.length > 0) return { kind: "changed-since", files: foreign.map(({ last }) => last.absolute) };
    const turnId = makeId("restore");
    const made: FileChange[] = [];
    for (const { now, last, to, undoes } of looked) {
      if (isSameContents(now, to)) continue;
      const { absolute, root } = last;
      const of = {
        sessionId: session.id,
        toolCallId: turnId,
        turnId,
        absolute,
        ...(root === undefined ? {} : { root }),
      };
      made.push(await deps.history.put({ ...of, ...(undoes === undefined ? {} : { undoes }) }, to));
    }
    return { kind: "undone", changes: made };
  });
}

/** A directory on the way may have become a link that leads elsewhere. */
async function refuseMoved(deps: Pick<UndoDeps, "rootsOf">, session: ToolPlace, absolute: string): Promise<void> {
  const place = await resolvePath(deps.rootsOf(session), absolute, { isLinkItself: true });
  if (place.absolute === absolute) return;
  throw new AppError("conflict", `${place.relative} lies elsewhere now, so it was not put back`);
}
