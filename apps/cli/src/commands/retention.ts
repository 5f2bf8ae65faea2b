import { retentionRunSchema, retentionSchema } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { formatBytes, formatTime } from "../format.ts";

const PATH = "/quarry/v1/retention";

/** `quarry retention`: what the policy would remove; with `--run`, to do it now. */
export function addRetentionCommand(program: Command, context: CliContext): void {
  program
    .command("retention")
    .description("tell what the retention policy would remove now")
    .option("--run", "apply the policy now rather than at its next time")
    .addHelpText("after", "\nExamples:\n  quarry retention\n  quarry retention --run")
    .action(async (options: { readonly run?: boolean }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      if (options.run === true) {
        const request = { method: "POST", path: `${PATH}/run` } as const;
        const begun = await callApi(target, request, retentionRunSchema, context.signal);
        io.print(begun, () => `The policy is being applied by ${begun.jobId}`);
        return;
      }
      const told = await callApi(target, { method: "GET", path: PATH }, retentionSchema, context.signal);
      const { policy, wouldRemove, nextRunAt } = told;
      io.print(told, () =>
        [
          `Kept: the newest ${policy.versions} versions of a document, others for ${policy.versionDays} days, usage for ${policy.usageDays} days, and all that is quoted.`,
          `Would be removed now: ${wouldRemove.versions} versions, ${wouldRemove.snapshots} snapshots (${formatBytes(wouldRemove.snapshotBytes)}), ${wouldRemove.usageRecords} usage records.`,
          nextRunAt === null ? "No run is planned." : `Next run: ${formatTime(nextRunAt)}`,
        ].join("\n"),
      );
    });
}
