import path from "node:path";
import {
  AgentState,
  createSessionChanges,
  createSessionShells,
  createToolRegistry,
  createWorkspace,
  outsideTools,
  ToolRuntime,
  webTools,
  workspaceTools,
  type SubagentModel,
  type WebDeps,
} from "@quarry/agent";
import type { Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import { searchSchema } from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import { getPages, search, type PageOutcome, type SearchDeps } from "@quarry/search";
import { SHARED_TEAM, type Database } from "@quarry/store";
import type { Logger } from "pino";
import { wireCode } from "./wire-code.ts";
import type { WiredOutside } from "./wire-outside.ts";

/** How much of a page's highlights one search result may show. */
const EXCERPT_CHARACTERS = 1_000;
/** A page that is not stored is fetched, from the host that was agreed to. */
const FETCHED = {
  freshness: { kind: "fetch-missing" },
  fetchTimeoutMs: 20_000,
  snapshotAsOf: undefined,
  staysOnHost: true,
} as const;
/** Where an administrator of the machine puts rules that nobody below can lift. */
const ADMIN_POLICY = "/etc/quarry/policy.json";
/** And programs that are asked before the rules; no workspace may bring its own. */
const ADMIN_HOOKS = "/etc/quarry/hooks.json";

/** Puts the tool calls of this process together: the web tools on the read path, the policy files, the headless answer. */
export async function wireTools(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly searching: SearchDeps;
  /** Of which commands get to know where programs are, and the language. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Where the bundles lie. */
  readonly bundleDirectory: string;
  /** What sub-agents think with, where a language model is set. */
  readonly llm: SubagentModel | undefined;
  /** MCP servers, screens and images; ended with the calls. */
  readonly outside: WiredOutside;
}): Promise<ToolRuntime> {
  const { config, clock, database, searching, logger, llm, outside } = parts;
  const workspace = createWorkspace({
    roots: config.workspaceRoots,
    historyDirectory: path.join(config.dataDir, "workspace-history"),
    outside: { hidden: [path.resolve(config.dataDir)], freeOf: () => [] },
    terminals: { hiddenDirectories: [path.resolve(config.dataDir)], environment: parts.environment },
    code: wireCode(parts),
  });
  const state = new AgentState({
    db: database,
    clock,
    model: llm,
    workspace,
    plansDirectory: path.join(config.dataDir, "plans"),
    onFailure: (error) => logger.error({ err: error }, "a sub-agent"),
  });
  const agentSessionOf = (parent: string, agent: string): Promise<string | undefined> =>
    state.agentSessionOf(parent, agent);
  const runtime = await ToolRuntime.start({
    db: database,
    clock,
    registry: createToolRegistry([
      ...webTools(webDeps(searching)),
      ...workspaceTools({ ...workspace, agentSessionOf }),
      ...outsideTools({ ...workspace, ...outside.deps }),
      ...state.tools,
    ]),
    hookFiles: [ADMIN_HOOKS, path.join(config.dataDir, "hooks.json")],
    subagents: state,
    workspace: {
      closeSession: (sessionId) => workspace.terminals.closeSession(sessionId),
      changes: createSessionChanges(workspace),
      shells: createSessionShells(workspace.terminals),
      close: async () => {
        await Promise.all([workspace.terminals.close(), workspace.code.close(), outside.close()]);
      },
    },
    headless: config.headless,
    filesOf: (session) => [
      { source: "admin", path: ADMIN_POLICY },
      { source: "user", path: path.join(config.dataDir, "policy.json") },
      // A machine far away reads its own file.
      ...(session.machine !== null || session.workspaceRoot === ""
        ? []
        : [{ source: "workspace" as const, path: path.join(session.workspaceRoot, ".quarry-policy.json") }]),
    ],
    onFailure: (error) => logger.error({ err: error }, "a tool call"),
  });
  await state.start(runtime);
  return runtime;
}

function webDeps(searching: SearchDeps): WebDeps {
  return {
    search: async ({ teamId, query, type, limit }, signal) => {
      const contents = { highlights: { maxCharacters: EXCERPT_CHARACTERS } };
      const body = searchSchema.parse({ query, type, numResults: limit, contents });
      const { results } = await search(searching, { teamIds: [teamId, SHARED_TEAM], body }, signal);
      return results.map((result) => ({
        url: result.url,
        title: result.title,
        text: (result.highlights ?? []).join("\n"),
        publishedDate: result.publishedDate ?? "",
      }));
    },
    readContents: async ({ teamId, urls, maxCharacters }, signal) => {
      const wanted = urls.map((url) => canonicalUrl(url) ?? url);
      const pages = await getPages(searching, [teamId, SHARED_TEAM], wanted, FETCHED, signal);
      return wanted.map((url, index) => {
        const outcome = pages.get(url);
        if (outcome?.kind !== "found") {
          return { kind: "failed", url: urls[index] ?? url, reason: reasonOf(outcome) };
        }
        const { page } = outcome;
        return {
          kind: "read",
          url: page.url,
          title: page.title ?? "",
          text: page.text.slice(0, maxCharacters),
          publishedDate: page.publishedAt?.toISOString() ?? "",
        };
      });
    },
  };
}

function reasonOf(outcome: Extract<PageOutcome, { kind: "failed" }> | undefined): string {
  if (outcome?.redirectedTo === undefined) return outcome?.tag ?? "it could not be read";
  return `it redirects to ${outcome.redirectedTo} on another host, which was not followed; ask for that address`;
}
