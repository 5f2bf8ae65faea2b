import type { McpClients } from "../mcp-client/mcp-clients.ts";
import type { ImageProvider } from "../screen/image-provider.ts";
import type { Screens } from "../screen/screens.ts";
import type { Tool } from "../tool.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { callMcpTool } from "./call-mcp-tool/call-mcp-tool.ts";
import { computerUseTool } from "./computer-use/computer-use.ts";
import { createDiagramTool } from "./create-diagram/create-diagram.ts";
import { generateImageTool } from "./generate-image/generate-image.ts";
import { listMcpResourcesTool } from "./list-mcp-resources/list-mcp-resources.ts";
import { mcpTool } from "./mcp/mcp.ts";
import { readMcpResourceTool } from "./read-mcp-resource/read-mcp-resource.ts";
import { recordScreenTool } from "./record-screen/record-screen.ts";

/** What reaches beyond the files of a workspace: MCP servers, a screen, a provider of images. Whoever made them closes them. */
export interface OutsideDeps {
  readonly mcp: McpClients;
  readonly screens: Screens;
  readonly images: ImageProvider | undefined;
  /** Where drawn diagrams are kept. */
  readonly diagramDirectory: string;
}

/** The tools that reach beyond a workspace's files. */
export function outsideTools(
  deps: OutsideDeps & Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "locks" | "history">,
): readonly Tool[] {
  return [
    mcpTool(deps),
    callMcpTool(deps),
    listMcpResourcesTool(deps),
    readMcpResourceTool(deps),
    createDiagramTool({ ...deps, chromium: deps.screens.chromium }),
    computerUseTool(deps),
    recordScreenTool(deps),
    generateImageTool(deps),
  ];
}
