import { readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { browserPath, describeWith, withScreens } from "../../screen/testing-screen.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
import { createDiagramTool } from "./create-diagram.ts";

async function create(tool: Tool, content: string): Promise<{ error: unknown; outputs: ToolOutput[] }> {
  const context = {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" as const },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
  const outputs: ToolOutput[] = [];
  const running = tool.run({ content }, context);
  for (;;) {
    const step = await running.next();
    if (step.done !== true) outputs.push(step.value);
    else return { error: step.value.kind === "succeeded" ? step.value.result["error"] : step.value, outputs };
  }
}

describe("create_diagram", () => {
  verifies(
    ["tools:create-diagram:params:content", "tools:create-diagram:result:error"],
    "takes every kind of diagram that is right, and says the line of what is wrong",
    () =>
      withWorkspace({}, ({ deps }) =>
        withScreens({}, async ({ chromium }, diagramDirectory) => {
          const tool = createDiagramTool({ ...deps, chromium, diagramDirectory });
          const right = [
            "flowchart TD\n  A --> B",
            'pie title Pets\n  "Dogs": 3\n  "Cats": 2',
            "classDiagram\n  class A {\n    +run()\n  }",
            "%% a note\nsequenceDiagram\n  A->>B: hi",
            "stateDiagram-v2\n  [*] --> Still",
          ];
          for (const content of right) expect((await create(tool, content)).error).toBeUndefined();
          const wrong = async (content: string) => String((await create(tool, content)).error);
          expect(await wrong("flowchart TD\n  A --> B\n  B -->")).toMatch(/^line 3: "B -->": Expecting/);
          expect(await wrong("sequenceDiagram\n  A->>B: hi\n  foo bar\n  B->>A: yes")).toMatch(/^line 3: "foo bar"/);
          // Front matter and notes are not counted by mermaid, and are here.
          expect(await wrong("---\ntitle: T\n---\n%% note\nflowchart TD\n  A --> B\n  B -->")).toMatch(/^line 7: /);
          expect(await wrong("drawing\n  x")).toMatch(/^line 1: No diagram type detected/);
          expect(await wrong(" \n")).toMatch(/^line 1: the diagram is empty/);
          expect(await wrong(`flowchart TD\n${"%".repeat(60_000)}`)).toMatch(/more than the 50000/);
          const { outputs } = await create(tool, "flowchart TD\n  A --> B");
          expect(outputs).toEqual([
            { kind: "progress", message: "it is right; it was not drawn, since no Chromium is installed" },
          ]);
        }),
      ),
    60_000, // mermaid is large
  );

  describeWith([browserPath], "with a browser", () => {
    it(
      "draws it as SVG and PNG, and runs nothing that it brings",
      () =>
        withWorkspace({}, ({ deps }) =>
          withScreens({ browserPath }, async ({ chromium }, diagramDirectory) => {
            const tool = createDiagramTool({ ...deps, chromium, diagramDirectory });
            const content = 'flowchart TD\n  A["<img src=x onerror=alert(1)>Start"] --> B[End]';
            const { error, outputs } = await create(tool, content);
            expect(error).toBeUndefined();
            const [output] = outputs;
            const [svg = "", png = ""] = output?.kind === "output" ? output.text.trim().split("\n") : [];
            expect(path.dirname(svg)).toBe(diagramDirectory);
            const drawn = readFileSync(svg, "utf8");
            expect(drawn).toMatch(/^<svg[^]*End/);
            expect(drawn).not.toContain("onerror");
            expect(readFileSync(png).subarray(1, 4).toString()).toBe("PNG");
          }),
        ),
      60_000,
    );
  });
});
