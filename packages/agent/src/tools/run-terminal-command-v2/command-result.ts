import type { JsonObject } from "@bufbuild/protobuf";
import { toPolicyJson } from "../../sandbox/sandbox-policy.ts";
import { HEAD_BYTES, TAIL_BYTES } from "../../terminal/output-keeper.ts";
import { renderTerminal } from "../../terminal/render-terminal.ts";
import type { Shell } from "../../terminal/shell.ts";

/** Output longer than this is cut and left in its file, unless the caller gives another measure. */
const SPILL_BYTES = 40_000;
/** How much of cut output a result shows, and which part of that is its beginning. */
const SHOWN_BYTES = 30_000;
const HEAD_SHARE = 1 / 3;

/** A command's output as its result shows it. */
export interface ShownOutput {
  readonly text: string;
  readonly raw: string;
  readonly location: JsonObject | undefined;
}

/** The output of a shell so far: all of it, or its beginning and end with a pointer to the rest. */
export async function showOutput(shell: Shell, thresholdBytes: number | undefined): Promise<ShownOutput> {
  const { head, tail, skippedBytes, totalBytes, lines } = shell.output.kept();
  const threshold = Math.min(thresholdBytes ?? SPILL_BYTES, HEAD_BYTES + TAIL_BYTES);
  if (totalBytes <= threshold && skippedBytes === 0) {
    const bytes = Buffer.concat([head, tail]);
    return { text: await renderTerminal(bytes), raw: bytes.toString("utf8"), location: undefined };
  }
  const shown = Math.min(SHOWN_BYTES, threshold);
  const whole = Buffer.concat([head, tail]);
  const first = head.subarray(0, Math.floor(shown * HEAD_SHARE));
  const last = whole.subarray(Math.max(first.length, whole.length - (shown - first.length)));
  const left = totalBytes - first.length - last.length;
  const { path: filePath, transcriptProblem: problem } = shell.output;
  const note = `[${left} of ${totalBytes} bytes are left out here; ${problem === undefined ? "all of it is" : `${problem}: that much is`} in ${filePath}]`;
  return {
    text: `${await renderTerminal(first)}\n\n${note}\n\n${await renderTerminal(last)}`,
    raw: `${first.toString("utf8")}\n\n${note}\n\n${last.toString("utf8")}`,
    location: { filePath, sizeBytes: String(shell.output.transcriptBytes), lineCount: String(lines) },
  };
}

/** The result of a command, as far as every case has it. */
export function resultOf(
  shell: Pick<Shell, "policy">,
  of: {
    readonly shown: ShownOutput;
    readonly notes: readonly string[];
    readonly terminal: { readonly number: number; readonly path: string };
    readonly cwd: string;
  },
): JsonObject {
  const { text, raw, location } = of.shown;
  const notes = of.notes.map((note) => `[${note}]`);
  return {
    output: [text, ...notes].filter((part) => part !== "").join("\n\n"),
    outputRaw: raw,
    resultingWorkingDirectory: of.cwd,
    effectiveSandboxPolicy: toPolicyJson(shell.policy),
    terminalInstanceId: of.terminal.number,
    terminalInstancePath: of.terminal.path,
    ...(location === undefined ? {} : { outputLocation: location }),
  };
}
