import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { listEarlierOutcomes, type Approval, type ToolSession } from "@quarry/store";
import type { Question } from "./judged-call.ts";
import type { SpineDeps } from "./spine.ts";
import type { ToolContext } from "./tool.ts";

/** How far back a tool may look in its session. */
const EARLIER_RESULTS = 50;

/** What a tool gets to know beside its arguments. */
export function toolContext(
  deps: Pick<SpineDeps, "db">,
  of: {
    readonly session: ToolSession;
    readonly toolCallId: string;
    readonly turnId?: string | undefined;
    readonly signal: AbortSignal;
    readonly caller?: string;
    readonly approval?: Approval | undefined;
  },
): ToolContext {
  const { session, approval } = of;
  return {
    teamId: session.teamId,
    session: approval === undefined ? session : { ...session, grantedPaths: outsidePaths(approval) },
    toolCallId: of.toolCallId,
    ...(of.turnId === undefined ? {} : { turnId: of.turnId }),
    signal: of.signal,
    ...(of.caller === undefined ? {} : { caller: of.caller }),
    ...(approval === undefined
      ? {}
      : {
          grant: {
            answeredBy: approval.answeredBy ?? "",
            reason: approval.reason ?? "",
            isEdited: approval.editedArgs !== null,
          },
        }),
    earlierResults: async (tools) => {
      const outcomes = await listEarlierOutcomes(deps.db, session.id, tools, EARLIER_RESULTS);
      // Rows hold what end-call.ts wrote: outcomes that succeeded have a result.
      return outcomes.map((outcome) => (outcome as unknown as { readonly result: JsonObject }).result);
    },
  };
}

/** What lies outside of a workspace is named by its whole path in the question that the person said yes to. */
function outsidePaths({ question }: Approval): readonly string[] {
  const { paths } = question as unknown as Question; // written by accept-call.ts
  return paths.filter((each) => path.isAbsolute(each));
}
