import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rankTexts, type CodeToolsOptions } from "@quarry/agent";
import type { Config } from "@quarry/config";
import { MINILM } from "@quarry/models";
import type { SearchDeps } from "@quarry/search";
import { listKnowledge, type Database } from "@quarry/store";

/** How many entries of a team's knowledge base are looked through. */
const MAX_KNOWLEDGE = 1_000;

/**
 * What the code tools of this process have beside the files: the thread they read code in, the model that also reads
 * queries, and the knowledge base. Run from its sources there is no bundle for a thread; then code is read in this one.
 */
export function wireCode(parts: {
  readonly config: Config;
  readonly database: Database;
  readonly searching: Pick<SearchDeps, "embedQuery">;
  readonly bundleDirectory: string;
}): Omit<CodeToolsOptions, "directory" | "roots"> {
  const { config, database, searching, bundleDirectory } = parts;
  const entry = path.join(bundleDirectory, "code-thread.js");
  return {
    ...(existsSync(entry) ? { threadEntry: pathToFileURL(entry) } : {}),
    embedder: {
      model: config.embedUrl === undefined ? MINILM.model : `${config.embedUrl} ${config.embedModel ?? "default"}`,
      // One after the other, so that queries of people come in between.
      embed: async (texts, signal) => {
        const vectors: Float32Array[] = [];
        for (const text of texts) vectors.push(await searching.embedQuery(text, signal));
        return vectors;
      },
    },
    findKnowledge: async ({ teamId, query, limit }) => {
      const entries = await listKnowledge(database, teamId, MAX_KNOWLEDGE);
      const ranked = rankTexts(
        query,
        entries.map(({ title, text }) => `${title}\n${text}`),
        limit,
      );
      return ranked.flatMap((at) => {
        const entry = entries[at];
        return entry === undefined ? [] : [{ title: entry.title, knowledge: entry.text }];
      });
    },
  };
}
