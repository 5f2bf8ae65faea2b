import { create, fromJson, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallFacts, Execution, ExecutionReport } from "@quarry/agent";
import { AppError } from "@quarry/base";
import type { ExecuteSchema } from "@quarry/contract";
import {
  ExecuteStep,
  ExecutionReportSchema,
  OutputChannel,
  type ExecuteMessage,
  type ExecutionReportMessage,
} from "@quarry/contract";
import { z } from "zod";

/** Work for a machine, for the wire. */
export function toExecuteMessage(execution: Execution): MessageInitShape<typeof ExecuteSchema> {
  const { id, step, toolCallId, tool, args, mode, reportsSeen } = execution;
  return {
    executionId: id,
    step: step === "inspect" ? ExecuteStep.INSPECT : ExecuteStep.RUN,
    toolCallId,
    tool,
    args,
    mode,
    repeated: reportsSeen !== undefined,
    reportsSeen: reportsSeen ?? 0,
  };
}

/** Work as the machine takes it; throws `invalid_request` for a step it does not know. */
export function readExecute(message: ExecuteMessage): Execution {
  const { executionId: id, toolCallId, tool, args = {}, repeated, reportsSeen } = message;
  const step = STEPS[message.step];
  if (step === undefined) throw new AppError("invalid_request", "execute.step: set inspect or run");
  const mode = MODES.find((known) => known === message.mode) ?? "ask";
  return { id, step, toolCallId, tool, args, mode, ...(repeated ? { reportsSeen } : {}) };
}

const STEPS: Readonly<Record<ExecuteStep, Execution["step"] | undefined>> = {
  [ExecuteStep.UNSPECIFIED]: undefined,
  [ExecuteStep.INSPECT]: "inspect",
  [ExecuteStep.RUN]: "run",
};
const MODES = ["agent", "plan", "ask"] as const;

/** What a machine says of its work, for the wire. */
export function toReportMessage(executionId: string, report: ExecutionReport): ExecutionReportMessage {
  switch (report.kind) {
    case "output": {
      const value = { channel: CHANNELS[report.channel], text: report.text };
      return create(ExecutionReportSchema, { executionId, report: { case: "output", value } });
    }
    case "progress": {
      const { message, fraction } = report;
      const value = { message, ...(fraction === undefined ? {} : { fraction }) };
      return create(ExecutionReportSchema, { executionId, report: { case: "progress", value } });
    }
    case "facts":
      return fromJson(ExecutionReportSchema, { executionId, facts: report.facts as unknown as JsonObject });
    case "succeeded":
      return create(ExecutionReportSchema, { executionId, report: { case: "result", value: report.result } });
    case "failed": {
      const { client, model } = report.error;
      const value = { clientVisibleErrorMessage: client, modelVisibleErrorMessage: model };
      return create(ExecutionReportSchema, { executionId, report: { case: "failure", value } });
    }
  }
}

/** A machine's report, checked; throws `invalid_request` for one that says nothing. */
export function readReport({ report }: ExecutionReportMessage): ExecutionReport {
  switch (report.case) {
    case "output":
      return { kind: "output", channel: channelOf(report.value.channel), text: report.value.text };
    case "progress": {
      const { message, fraction } = report.value;
      return { kind: "progress", message, ...(fraction === undefined ? {} : { fraction }) };
    }
    case "facts": {
      const facts = factsSchema.safeParse(report.value);
      if (!facts.success) throw new AppError("invalid_request", "execution_report.facts: they have another form");
      return { kind: "facts", facts: facts.data as CallFacts };
    }
    case "result":
      return { kind: "succeeded", result: report.value };
    case "failure": {
      const { clientVisibleErrorMessage: client, modelVisibleErrorMessage: model } = report.value;
      return { kind: "failed", error: { client, model } };
    }
    case undefined:
      throw new AppError("invalid_request", "execution_report: set output, progress, facts, result or failure");
  }
}

const CHANNELS = {
  stdout: OutputChannel.STDOUT,
  stderr: OutputChannel.STDERR,
  "partial-result": OutputChannel.PARTIAL_RESULT,
} as const;

function channelOf(channel: OutputChannel): "stdout" | "stderr" | "partial-result" {
  if (channel === OutputChannel.STDERR) return "stderr";
  return channel === OutputChannel.PARTIAL_RESULT ? "partial-result" : "stdout";
}

/** What a machine says that a call touches decides about it: it is checked like any input. */
const factsSchema = z.object({
  hosts: z.array(z.string()),
  paths: z.array(z.string()),
  costDollars: z.number().min(0),
  risk: z.enum(["low", "medium", "high"]),
  notes: z.array(z.string()),
  diff: z.string().optional(),
  commands: z.array(z.string()).optional(),
  uncovered: z.array(z.string()).optional(),
  alwaysAsk: z.array(z.string()).optional(),
  forbidden: z.array(z.string()).optional(),
  mcpTools: z.array(z.string()).optional(),
  tightening: z
    .array(
      z.object({
        id: z.string(),
        decision: z.enum(["ask", "deny"]),
        match: z.object({
          tools: z.array(z.string()).optional(),
          tiers: z.array(z.enum(["read", "write", "exec", "network"])).optional(),
          hosts: z.array(z.string()).optional(),
          paths: z.array(z.string()).optional(),
          args: z.record(z.string(), z.json()).optional(),
          costAboveDollars: z.number().optional(),
          commands: z.array(z.string()).optional(),
          mcpTools: z.array(z.string()).optional(),
        }),
        reason: z.string(),
      }),
    )
    .optional(),
});
