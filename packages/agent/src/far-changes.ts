import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { checkArgs } from "./check-args.ts";
import type { Contents, FileChange } from "./workspace/edit-history.ts";
import type { CheckpointDifference, SessionChanges } from "./workspace/session-changes.ts";
import type { Checkpoint } from "./workspace/undo-changes.ts";

/** What work is called that lists or takes back what a session changed on the machine that holds its workspace. */
export const SESSION_CHANGES = "session_changes";

/** Asks the machine; its answer as JSON. Rejects when it is not there or could not do it. */
type AskMachine = (args: JsonObject) => Promise<JsonObject>;

/** The changes of a session whose files are far away: their machine keeps them, and takes them back. */
export function farChanges(ask: AskMachine): SessionChanges {
  const asked = async (args: JsonObject, schema: JsonObject): Promise<JsonObject> => {
    const answer = await ask(args);
    const refused = answer["refused"];
    if (isRefusal(refused)) throw new AppError(refused.code, refused.message);
    const [problem] = checkArgs(schema, answer);
    if (problem === undefined) return answer;
    throw new AppError("upstream_failed", `the machine that holds this workspace answered in another form: ${problem}`);
  };
  const undone = async (args: JsonObject): ReturnType<SessionChanges["undo"]> => {
    const { changes } = await asked(args, UNDONE_SCHEMA);
    return { kind: "undone", changes: changes as unknown as readonly FileChange[] }; // checked by the schema
  };
  return {
    checkpoints: async () => {
      const { checkpoints } = await asked({ action: "checkpoints" }, CHECKPOINTS_SCHEMA);
      return checkpoints as unknown as readonly Checkpoint[]; // checked by the schema
    },
    compare: async (_, checkpointId) => {
      const { differences } = await asked({ action: "compare", id: checkpointId }, DIFFERENCES_SCHEMA);
      return differences as unknown as readonly CheckpointDifference[]; // checked by the schema
    },
    restore: (_, checkpointId) => undone({ action: "restore", id: checkpointId }),
    undo: (_, changeId) => undone({ action: "undo", id: changeId }),
  };
}

/** Whether that work changes files. */
export function isTakingBack({ action }: JsonObject): boolean {
  return action !== "checkpoints" && action !== "compare";
}

/** The far end: does what `farChanges` asks for. What cannot be taken back is an answer, not a failure. */
export async function answerChanges(
  changes: SessionChanges,
  session: Parameters<SessionChanges["undo"]>[0],
  args: JsonObject,
): Promise<JsonObject> {
  const id = typeof args["id"] === "string" ? args["id"] : "";
  const toJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
  try {
    switch (args["action"]) {
      case "checkpoints":
        return toJson({ checkpoints: await changes.checkpoints(session.id) });
      case "compare":
        return toJson({ differences: await changes.compare(session.id, id) });
      case "restore":
        return toJson({ changes: (await changes.restore(session, id)).changes });
      case "undo":
        return toJson({ changes: (await changes.undo(session, id)).changes });
      default:
        throw new AppError("invalid_request", "the machine that holds this workspace is too old to do that");
    }
  } catch (error) {
    const { code, message } = AppError.from(error);
    if (!REFUSALS.some((known) => known === code)) throw error;
    return { refused: { code, message } };
  }
}

/** Why changes are not taken back; anything else is a failure of the machine. */
const REFUSALS = ["not_found", "conflict", "forbidden", "invalid_request"] as const;

function isRefusal(value: unknown): value is { readonly code: (typeof REFUSALS)[number]; readonly message: string } {
  if (typeof value !== "object" || value === null || !("code" in value) || !("message" in value)) return false;
  return REFUSALS.some((known) => known === value.code) && typeof value.message === "string";
}

const text: JsonObject = { type: "string" };
const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
});
const listOf = (name: string, items: JsonObject): JsonObject => object({ [name]: { type: "array", items } }, [name]);

const KINDS: readonly Contents["kind"][] = ["nothing", "file", "link"];
const contents = object({ kind: { type: "string", enum: [...KINDS] } }, ["kind"]);
const change = object(
  { id: text, toolCallId: text, absolute: text, before: contents, after: contents, at: text, undoes: text },
  ["id", "toolCallId", "absolute", "before", "after", "at"],
);
const UNDONE_SCHEMA = listOf("changes", change);
const CHECKPOINTS_SCHEMA = listOf(
  "checkpoints",
  object({ id: text, turnId: text, at: text, changes: { type: "array", items: change } }, [
    "id",
    "turnId",
    "at",
    "changes",
  ]),
);
const DIFFERENCES_SCHEMA = listOf("differences", object({ path: text, diff: text }, ["path", "diff"]));
