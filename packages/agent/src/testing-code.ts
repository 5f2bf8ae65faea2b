import { execFileSync } from "node:child_process";
import type { CodeEmbedder } from "./code/vector-file.ts";

/** Makes a repository of a directory: one commit a message, the first with all files. */
export function commitAll(root: string, message: string): string {
  const git = (...args: readonly string[]): string =>
    execFileSync(
      "git",
      ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false", ...args],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", `--message=${message}`);
  return git("rev-parse", "HEAD").trim();
}

/** A model that knows which of these groups of words a text is about: each group is one direction. */
export function createTopicEmbedder(topics: readonly RegExp[]): CodeEmbedder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    model: "topics",
    texts,
    embed: (given) => {
      texts.push(...given);
      return Promise.resolve(
        given.map((text) => {
          const hits = [...topics.map((topic) => (topic.test(text) ? 1 : 0)), 0.01];
          const length = Math.hypot(...hits);
          return Float32Array.from(hits, (hit) => hit / length);
        }),
      );
    },
  };
}
