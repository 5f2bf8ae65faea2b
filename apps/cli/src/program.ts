import { Command } from "commander";
import type { CliContext } from "./cli-context.ts";
import { addAgentCommand } from "./commands/agent.ts";
import { addAnswerCommand } from "./commands/answer.ts";
import { addApprovalsCommand } from "./commands/approvals.ts";
import { addBackupCommand } from "./commands/backup.ts";
import { addChangesCommand } from "./commands/changes.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addContentsCommand } from "./commands/contents.ts";
import { addCrawlCommand } from "./commands/crawl.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addIndexCommand } from "./commands/index-command.ts";
import { addKeysCommand } from "./commands/keys.ts";
import { addMapCommand } from "./commands/map.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addMeasureCommands } from "./commands/measure.ts";
import { addMonitorsCommand } from "./commands/monitors.ts";
import { addResearchCommand } from "./commands/research.ts";
import { addRestoreCommand } from "./commands/restore.ts";
import { addRetentionCommand } from "./commands/retention.ts";
import { addSearchCommand } from "./commands/search.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addSimilarCommand } from "./commands/similar.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addStopCommand } from "./commands/stop.ts";
import { addToolsCommand } from "./commands/tools.ts";
import { addUsageCommand } from "./commands/usage.ts";
import { addWebhooksCommand } from "./commands/webhooks.ts";
import { addExplainCommand, addWebsetsCommand } from "./commands/websets.ts";
import type { EndWith } from "./exit-code.ts";

/** The whole command tree; completion is generated from it. */
export function buildProgram(context: CliContext, endWith: EndWith): Command {
  const program = new Command("quarry")
    .description("The web and a workspace for AI agents, on your own machine.")
    .version(context.version, "-V, --version", "print the version")
    .option("--json", "print data as JSON")
    .option("-q, --quiet", "no progress on stderr")
    .option("--url <address>", "a server elsewhere instead of the local one")
    .option("--key <key>", "the API key to use there (or QUARRY_API_KEY)")
    .helpOption("-h, --help", "explain a command")
    .helpCommand("help [command]", "explain a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see quarry help)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.stream.write(text),
      writeErr: (text) => context.stderr.stream.write(text),
      getOutHasColors: () => context.stdout.hasColors,
      getErrHasColors: () => context.stderr.hasColors,
    });
  // Subcommands inherit the settings above when they are added after them.
  addServeCommand(program, context, endWith);
  addStopCommand(program, context);
  addStatusCommand(program, context, endWith);
  addSearchCommand(program, context);
  addContentsCommand(program, context, endWith);
  addSimilarCommand(program, context);
  addAnswerCommand(program, context);
  addResearchCommand(program, context, endWith);
  addCrawlCommand(program, context, endWith);
  addMapCommand(program, context);
  addIndexCommand(program, context, endWith);
  addToolsCommand(program, context, endWith);
  addApprovalsCommand(program, context);
  addChangesCommand(program, context);
  addAgentCommand(program, context);
  addMcpCommand(program, context);
  addWebsetsCommand(program, context);
  addExplainCommand(program, context);
  addMonitorsCommand(program, context);
  addWebhooksCommand(program, context, endWith);
  addKeysCommand(program, context, endWith);
  addUsageCommand(program, context);
  addConfigCommand(program, context);
  addDoctorCommand(program, context, endWith);
  addBackupCommand(program, context);
  addRetentionCommand(program, context);
  addRestoreCommand(program, context, endWith);
  addMeasureCommands(program, context, endWith);
  addCompletionCommand(program, context);
  return program.addHelpText("after", EPILOGUE);
}

const EPILOGUE = `
A command talks to the server of the data directory and starts one when none runs.
Data goes to stdout, progress to stderr.

Exit codes: 0 ok, 1 error, 2 usage, 3 auth, 4 not found, 5 rate limit, 6 partial, 130 interrupted

Examples:
  quarry serve                        run the server in this terminal
  quarry crawl https://example.com    read a site into the index
  quarry search "what is it about"    search the index
  quarry index import ./docs          read files into the index
  quarry keys create "my agent"       make an API key
  quarry usage --by day,endpoint      who called what
  quarry doctor                       find out what is wrong and how to fix it`;
