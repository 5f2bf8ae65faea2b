import { readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { withWorkspace } from "../testing-workspace.ts";
import { workspaceTools } from "../tools/workspace-tools.ts";

const SECRETS = [".env", "app/.env.local", "server.pem", "deploy/id_rsa", ".npmrc", ".aws/credentials"];
const FILES = Object.fromEntries([...SECRETS, ".env.example", "a.txt"].map((name) => [name, "token=1\n"]));

verifies("tools:workspace:ignore:secret-list", "files that hold secrets are neither shown, found nor changed", () =>
  withWorkspace(FILES, async ({ root, deps, run }) => {
    const tools = workspaceTools(deps);
    const call = (name: string, args: JsonObject) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      return run(tool, args);
    };
    for (const secret of SECRETS) {
      const edit = { relativeWorkspacePath: secret, oldString: "token", newString: "x" };
      for (const [name, args] of [
        ["read_file_v2", { targetFile: secret }],
        ["edit_file", edit],
        ["edit_file_v2", { relativeWorkspacePath: secret, contentsAfterEdit: "x" }],
        ["delete_file", { relativeWorkspacePath: secret }],
      ] as const) {
        await expect(call(name, args), `${name} ${secret}`).rejects.toThrow(/kept from tools/);
      }
      expect(readFileSync(path.join(root, secret), "utf8")).toBe("token=1\n");
    }
    const found = JSON.stringify([
      await call("ripgrep_raw_search", { pattern: "token", path: "." }),
      await call("glob_file_search", { globPattern: "**/*" }),
      await call("list_dir", { directoryPath: "." }),
    ]);
    expect(found).toContain("a.txt");
    for (const secret of SECRETS) expect(found, secret).not.toContain(`${path.basename(secret)}"`);
    expect((await call("read_file_v2", { targetFile: ".env.example" }))["contents"]).toBe("token=1");
  }),
);
