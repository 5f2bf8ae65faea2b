import os from "node:os";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { Config } from "@quarry/config";
import type { Command } from "commander";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { checkNode } from "../doctor/check-node.ts";
import type { CheckInput, Finding } from "../doctor/check.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { EndWith } from "../exit-code.ts";
import { paint } from "../paint.ts";

/** `quarry doctor`: what is wrong on this machine, and how to fix it. Changes nothing. */
export function addDoctorCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("doctor")
    .description("check this machine and say how to fix what is wrong; exit code 1 when something fails")
    .addHelpText(
      "after",
      "\nExamples:\n  quarry doctor\n  quarry doctor --json | jq '.findings[] | select(.status == \"fail\")'",
    )
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const findings = [checkNode(process.versions.node), ...(await examine(context))];
      const failed = findings.filter(({ status }) => status === "fail").length;
      io.print({ ok: failed === 0, findings }, (output) => renderFindings(output, findings, failed));
      if (failed > 0) endWith(EXIT_CODES.error);
    });
}

async function examine(context: CliContext): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = context.readConfig();
  } catch (error) {
    const fix = "correct these settings; the other checks need them";
    return [{ check: "settings", status: "fail", detail: AppError.from(error).message, fix }];
  }
  const settings: Finding = { check: "settings", status: "ok", detail: "all understood; see quarry config print" };
  return [settings, ...(await runChecks(toInput(context, config)))];
}

function toInput(context: CliContext, config: Config): CheckInput {
  const { environment, version, signal } = context;
  const cacheHome = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  const defaultCache =
    process.platform === "win32"
      ? path.join(environment["LOCALAPPDATA"] ?? os.homedir(), "ms-playwright")
      : path.join(os.homedir(), ...cacheHome, "ms-playwright");
  return {
    config,
    version,
    signal,
    programPath: environment["PATH"] ?? "",
    browserCache: environment["PLAYWRIGHT_BROWSERS_PATH"] ?? defaultCache,
  };
}

const COLOURS = { ok: "green", info: "cyan", warn: "yellow", fail: "red" } as const;

function renderFindings(output: Output, findings: readonly Finding[], failed: number): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat(width + 8);
  const lines = findings.map(({ check, status, detail, fix }) => {
    const label = `${paint(output, COLOURS[status], status.padEnd(4))}  ${check.padEnd(width)}`;
    const text = detail.replaceAll("\n", `\n${indent}`);
    return `${label}  ${text}${fix === undefined ? "" : `\n${indent}→ ${fix}`}`;
  });
  return [
    ...lines,
    "",
    failed === 0 ? "Nothing fails." : `${failed} ${failed === 1 ? "check fails" : "checks fail"}.`,
  ].join("\n");
}
