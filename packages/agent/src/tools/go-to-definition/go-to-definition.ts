import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { findDefinitions } from "../../code/find-definitions.ts";
import { shownPath } from "../../code/show-code.ts";
import type { Tool } from "../../tool.ts";
import { openFile } from "../../workspace/open-file.ts";
import { nameBinary } from "../../workspace/read-image.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { decodeText, linesOf } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { numberOf, textOf, workspaceTool } from "../workspace-tool.ts";

/** aiserver.v1 Gotodef: where a name that a file uses is defined. Lines count from 1. */
export function goToDefinitionTool(deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "code">): Tool {
  return workspaceTool(deps, {
    name: "go_to_definition",
    aliases: ["gotodef"],
    clientTool: ClientSideToolV2.GO_TO_DEFINITION,
    title: "Go to a definition",
    description:
      "Finds where a symbol that a file uses is defined, with its lines (at most 20 definitions of 60 lines).",
    tier: "read",
    messages: "Gotodef",
    properties: {
      relativeWorkspacePath: { type: "string", minLength: 1, description: "The file the symbol is used in" },
      symbol: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: "The symbol, such as parse or reader.parse",
      },
      startLine: { type: "integer", minimum: 0, description: "Look for it from this line, from 1" },
      endLine: { type: "integer", minimum: 0, description: "Look for it up to this line" },
    },
    required: ["relativeWorkspacePath", "symbol"],
    pathsOf: (args) => [textOf(args, "relativeWorkspacePath")],
    run: async (args, context) => {
      const { place, bytes } = await openFile(deps, context.session, textOf(args, "relativeWorkspacePath"));
      const text = decodeText(bytes)?.text;
      if (text === undefined)
        throw new AppError("unprocessable", `${place.relative} is ${nameBinary(bytes)}, not code`);
      const startLine = numberOf(args, "startLine") || 1;
      const endLine = numberOf(args, "endLine") || Math.max(startLine, linesOf(text).length);
      if (endLine < startLine) throw new AppError("invalid_request", "endLine: give a line at or after startLine");
      const places = await Promise.all(deps.rootsOf(context.session).map((root) => resolvePath([root], ".")));
      const roots = places.map(({ root }) => root);
      const used = { place, text, symbol: textOf(args, "symbol"), startLine, endLine };
      const definitions = await findDefinitions(deps, roots, used, context.signal);
      return {
        definitions: definitions.map((one) => ({
          relativeWorkspacePath: shownPath(roots, one.root, one.relative),
          ...(one.qualifiedName === "" ? {} : { fullyQualifiedName: one.qualifiedName }),
          symbolKind: one.kind,
          startLine: one.startLine,
          endLine: one.endLine,
          codeContextLines: [...one.lines],
        })),
      };
    },
  });
}
