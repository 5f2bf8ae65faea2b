import { stdin } from "node:process";
import { createInterface } from "node:readline";
import { AppError } from "@quarry/base";
import { Option, type Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { createMcpBridge } from "./mcp-bridge.ts";
import type { McpMessage } from "./mcp-http.ts";
import { addMcpInstallCommand } from "./mcp-install.ts";

interface McpOptions {
  readonly tools?: string;
  readonly input?: string;
}

/** `quarry mcp`: MCP over stdio, for clients that start a program; `quarry mcp install` tells them to. */
export function addMcpCommand(program: Command, context: CliContext): void {
  const mcp = program.command("mcp").description("connect agents by the Model Context Protocol");
  mcp
    .command("serve", { isDefault: true })
    .description("speak MCP over stdin and stdout; the server is found, or started when none runs")
    .option(
      "--tools <list>",
      "groups (web, research, websets, workflows, exa, workspace) or tools, with commas between",
    )
    .addOption(new Option("--input <mode>", "whether wrong arguments are made to fit").choices(["safe", "strict"]))
    .addHelpText(
      "after",
      "\nExamples:\n  quarry mcp\n  quarry mcp --tools web,research\n  quarry mcp --url https://quarry.example --key qry_…",
    )
    .action(async (options: McpOptions, command: Command) => {
      const io = openIo(context, command);
      const bridge = createMcpBridge({
        connect: () => connectServer(context, io),
        search: searchOf(options),
        write: (message) => void context.stdout.stream.write(`${JSON.stringify(message)}\n`),
        say: io.say,
      });
      const underWay = new Set<Promise<void>>();
      const lines = createInterface({ input: stdin, signal: context.signal });
      for await (const line of lines) {
        if (line.trim() === "") continue;
        const done = receive(bridge.receive, line, io.warn);
        underWay.add(done);
        void done.finally(() => underWay.delete(done));
      }
      await bridge.close();
      await Promise.all(underWay);
    });
  addMcpInstallCommand(mcp, context);
}

function searchOf({ tools, input }: McpOptions): string {
  const chosen = new URLSearchParams({ ...(tools !== undefined && { tools }), ...(input !== undefined && { input }) });
  return chosen.size === 0 ? "" : `?${chosen.toString()}`;
}

async function receive(
  pass: (message: McpMessage) => Promise<void>,
  line: string,
  warn: (line: string) => void,
): Promise<void> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    warn(`a line of the client is no JSON: ${AppError.from(error).message}`);
    return;
  }
  await pass(message as McpMessage); // the server checks it
}
