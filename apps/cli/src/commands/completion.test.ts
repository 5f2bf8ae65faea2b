import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { cliWorld, temporaryDirectory } from "../testing.ts";

/** What bash offers after these words, with the script sourced as a person would. */
async function completeInBash(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout: script } = await cliWorld().run("completion", "bash");
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, "completion.bash"), script);
  writeFileSync(path.join(directory, "my backup.file"), "");
  const program = `
    set -eu
    source ./completion.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    $(complete -p quarry | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--norc", "-c", program, "bash", "quarry", ...words];
  const { stdout } = await promisify(execFile)("bash", args, { cwd: directory });
  return stdout.split("\n").filter((line) => line !== "");
}

it.each([
  [["ke"], ["keys"]],
  [["s"], ["serve", "stop", "status", "search", "similar"]],
  [
    ["keys", "r"],
    ["rotate", "revoke"],
  ],
  [["--json", "keys", "cr"], ["create"]],
  [["--url", "keys", "k"], ["keys"]],
  [["keys", "create", "--b"], ["--budget"]],
  [["keys", "ls", "--q"], ["--quiet"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["help", "doc"], ["doctor"]],
  [["config", ""], ["print"]],
  [["backup", "my"], ["my backup.file"]],
  [["usage", "--from", ""], []],
])("bash completes %j to %j", async (words, expected) => {
  expect(await completeInBash(...words)).toEqual(expected);
});

verifies("cli:completion:shells", "knows every command in bash, zsh and fish", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await cliWorld().run("completion", shell);
    expect(code).toBe(0);
    for (const word of ["serve", "doctor", "rotate", "completion", "print"]) expect(stdout).toContain(word);
    expect(stdout).not.toContain("undefined");
  }
});

it("refuses a shell it does not know", async () => {
  expect((await cliWorld().run("completion", "tcsh")).code).toBe(2);
});
