import { checkSemanticCron } from "./check-semantic-cron.ts";
import { readWorkflowArgs, type WorkflowName } from "./workflow-args.ts";

/**
 * Checks all that can be known of a workflow before it begins: its schema, and what the schema cannot say. Throws
 * `invalid_request` that names the field and how to mend it.
 */
export function checkWorkflow(name: WorkflowName, args: unknown, now: Date): void {
  if (name === "semantic.cron") checkSemanticCron(readWorkflowArgs(name, args), now);
  else readWorkflowArgs(name, args);
}
