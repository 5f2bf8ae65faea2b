import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Chromium } from "../../screen/chromium.ts";
import { checkDiagram, drawDiagram } from "../../screen/diagram.ts";
import type { Tool, ToolContext, ToolOutput } from "../../tool.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

/** What diagrams need. */
export interface DiagramDeps extends Pick<WorkspaceDeps, "rootsOf"> {
  readonly chromium: Chromium;
  /** Where drawn diagrams are kept. */
  readonly diagramDirectory: string;
}

/** aiserver.v1 CreateDiagram: checks a Mermaid diagram, and draws it where there is a browser. */
export function createDiagramTool(deps: DiagramDeps): Tool {
  return workspaceTool(deps, {
    name: "create_diagram",
    clientTool: ClientSideToolV2.CREATE_DIAGRAM,
    title: "Create a diagram",
    description: "Checks a Mermaid diagram and draws it as SVG and PNG; an empty error means that it is right.",
    tier: "read",
    messages: "CreateDiagram",
    properties: { content: { type: "string", description: "Mermaid text" } },
    required: ["content"],
    pathsOf: () => [],
    stream: (args, context) => create(deps, args, context),
    refuse: (_, reason) => ({ error: `The person declined: ${reason}` }),
  });
}

async function* create(
  deps: DiagramDeps,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, JsonObject> {
  const content = textOf(args, "content");
  const error = await checkDiagram(content);
  if (error !== undefined) return { error };
  context.signal.throwIfAborted();
  if (!deps.chromium.isInstalled) {
    yield { kind: "progress", message: "it is right; it was not drawn, since no Chromium is installed" };
    return {};
  }
  try {
    // One diagram is drawn to one file, however often.
    const name = createHash("sha256").update(content).digest("hex").slice(0, 24);
    const { svg, png } = await drawDiagram(deps.chromium, content, { directory: deps.diagramDirectory, name });
    yield { kind: "output", channel: "partial-result", text: `${svg}\n${png}\n` };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) return { error: `it cannot be drawn: ${firstLine(thrown)}` };
    // The diagram is right all the same; without a browser that starts it is only not drawn.
    yield { kind: "progress", message: `it was not drawn: ${thrown.message}` };
  }
  return {};
}

function firstLine(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0] ?? "";
}
