import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { textOf } from "../workspace-tool.ts";
import { fetchPullRequestTool } from "./fetch-pull-request.ts";

const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"];

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", [...IDENTITY, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

describe("fetch_pull_request", () => {
  verifies(
    [
      "tools:fetch-pull-request:params:pull-number-or-commit-hash",
      "tools:fetch-pull-request:params:repo",
      "tools:fetch-pull-request:params:is-github",
      "tools:fetch-pull-request:result:content",
      "tools:fetch-pull-request:result:pr-number",
      "tools:fetch-pull-request:result:title",
      "tools:fetch-pull-request:result:body",
      "tools:fetch-pull-request:result:author",
      "tools:fetch-pull-request:result:date",
      "tools:fetch-pull-request:result:diff",
      "tools:fetch-pull-request:result:sha",
      "tools:fetch-pull-request:result:external-link",
      "tools:fetch-pull-request:result:url",
      "tools:fetch-pull-request:result:comments",
      "tools:fetch-pull-request:result:labels",
      "tools:fetch-pull-request:result:assignees",
      "tools:fetch-pull-request:result:is-issue",
      "tools:fetch-pull-request:result:state",
      "tools:fetch-pull-request:result:prompt-connect-github",
    ],
    "shows a commit, fetches a pull request from the origin, and says when GitHub would have to be asked",
    () =>
      withWorkspace({ "a.txt": "one\n" }, async ({ root, deps, run }) => {
        const tool = fetchPullRequestTool(deps);
        await expect(run(tool, { pullNumberOrCommitHash: "abcd" })).rejects.toThrow(/no git repository/);
        const origin = path.join(root, "..", "origin", "acme", "shop.git");
        mkdirSync(origin, { recursive: true });
        git(origin, "init", "--bare", "-q");
        git(root, "init", "-q");
        git(root, "add", "a.txt");
        git(root, "commit", "-qm", "Begin\n\nWith a body.");
        const first = git(root, "rev-parse", "HEAD");
        git(root, "remote", "add", "origin", origin);
        git(root, "push", "-q", "origin", "HEAD:refs/heads/main");
        git(root, "fetch", "-q", "origin");

        // A repository's own settings run nothing.
        git(root, "config", "core.fsmonitor", `touch ${root}/ran; false`);
        git(root, "config", "diff.external", `touch ${root}/ran; false`);
        const shown = await run(tool, { pullNumberOrCommitHash: first.slice(0, 10) });
        expect(shown).toMatchObject({
          prNumber: 0,
          title: "Begin",
          body: "With a body.",
          author: "Ada",
          sha: first,
          diff: expect.stringContaining("+one") as unknown,
          content: expect.stringMatching(/^Commit [0-9a-f]{40}: Begin\n\nAda, [^]*With a body\.[^]*\+one/) as unknown,
          comments: [],
          labels: [],
          assignees: [],
          isIssue: false,
          state: "committed",
        });
        expect(shown["date"]).toMatch(/^\d{4}-\d\d-\d\dT/);
        expect(existsSync(path.join(root, "ran"))).toBe(false);

        // Someone else's pull request of two commits, which is only at the origin.
        const other = path.join(root, "..", "other");
        git(path.join(root, ".."), "clone", "-q", origin, other);
        for (const word of ["two", "zero"]) {
          writeFileSync(path.join(other, `${word}.txt`), `${word}\n`.repeat(word === "zero" ? 60_000 : 1));
          git(other, "add", ".");
          git(other, "commit", "-qm", `Add ${word}`);
        }
        git(other, "push", "-q", "origin", "HEAD:refs/pull/7/head");
        const pull = await run(tool, { pullNumberOrCommitHash: "#7", repo: "acme/shop" });
        expect(pull).toMatchObject({ prNumber: 7, title: "Add zero", state: "fetched" });
        expect(pull["diff"]).toContain("+two");
        expect(pull["diff"]).toMatch(/\+zero[^]*… \d+ more characters are left out$/);
        expect(textOf(pull, "diff").length).toBeLessThan(100_100);
        const seen = await tool.inspect({ pullNumberOrCommitHash: "7" }, contextOf(root));
        expect(seen.askFirst).toEqual(["it fetches from the origin"]);

        expect(await run(tool, { pullNumberOrCommitHash: "8" })).toEqual({
          promptConnectGithub: true,
          content: expect.stringContaining("Connect GitHub") as unknown,
        });
        expect(await run(tool, { pullNumberOrCommitHash: "8", repo: "acme/else", isGithub: false })).toEqual({
          promptConnectGithub: false,
          content: expect.stringContaining("acme/else does not give 8 out. Fetch it with git") as unknown,
        });
        git(root, "remote", "set-url", "origin", "git@github.com:acme/shop.git");
        expect(await run(tool, { pullNumberOrCommitHash: first })).toMatchObject({
          url: `https://github.com/acme/shop/commit/${first}`,
          externalLink: `https://github.com/acme/shop/commit/${first}`,
        });
        await expect(run(tool, { pullNumberOrCommitHash: "feedbeef" })).rejects.toThrow(/no commit feedbeef/);
        await expect(run(tool, { pullNumberOrCommitHash: "--output=x" })).rejects.toThrow(/number of a pull request/);
      }),
    60_000,
  );
});

function contextOf(root: string): Parameters<ReturnType<typeof fetchPullRequestTool>["inspect"]>[1] {
  return {
    teamId: "team",
    session: { id: "session", workspaceRoot: root, mode: "agent" },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
}
