import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { sleep } from "@quarry/base";
import { filesOfTar, pagesOfFiles, type MiniWebPages } from "@quarry/crawl/testing";
import type { ServerProcess } from "../server-process.ts";

/** Questions that the Git manual answers on three pages. */
export const THREE_QUESTIONS = [
  "What does git bisect do to find the commit that introduced a bug?",
  "What does git stash do with local modifications?",
  "What does git cherry-pick do with the changes of existing commits?",
] as const;

/** Enough of the manual that the three pages must be found. */
const SOME_PAGES = ["git-bisect", "git-stash", "git-cherry-pick", "git-revert", "git-gc"];
const READY_WITHIN_MS = 1_800_000;

/** The Git manual as a web; undefined when it is not on this machine. */
export function readGitManual(): MiniWebPages | undefined {
  const root = process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data");
  const file = path.join(root, "miniweb-git-htmldocs", "site.tar.gz");
  return existsSync(file) ? pagesOfFiles(filesOfTar(gunzipSync(readFileSync(file))), "git.html") : undefined;
}

/** Crawls the manual, or some pages of it, and waits until all of it can be found by words and by meaning. */
export async function crawlManual(server: ServerProcess, origin: string, size: "whole" | "some"): Promise<number> {
  const request =
    size === "whole"
      ? { url: `${origin}/git.html`, maxDepth: 50 }
      : { urls: SOME_PAGES.map((name) => `${origin}/${name}.html`), maxDepth: 0 };
  const begun = await server.call("POST", "/quarry/v1/crawls", { delayMs: 0, maxPages: 10_000, ...request });
  const { id } = begun.body as { readonly id: string };
  const crawl = await waitFor(async () => {
    const { body } = await server.call("GET", `/quarry/v1/crawls/${id}`);
    const { status, progress } = body as { readonly status: string; readonly progress: { readonly done: number } };
    return status === "completed" ? progress : undefined;
  });
  await waitFor(async () => {
    const { body } = await server.call("GET", "/quarry/v1/index");
    const { outbox, vectorOutbox } = body as { readonly outbox: number; readonly vectorOutbox: number };
    return outbox === 0 && vectorOutbox === 0 ? true : undefined;
  });
  return crawl.done;
}

async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + READY_WITHIN_MS; performance.now() < end;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(200);
  }
  throw new Error(`the manual was not there within ${READY_WITHIN_MS} ms`);
}
