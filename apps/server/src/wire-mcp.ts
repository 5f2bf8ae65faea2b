import { createHash } from "node:crypto";
import { answerQuestion, type AnswerDeps } from "@quarry/answer";
import type { AppError } from "@quarry/base";
import { type Clock } from "@quarry/base";
import { findSimilarSchema, makeWebhookSecret, searchSchema } from "@quarry/contract";
import { workflowRoutes, type Route } from "@quarry/doors";
import { findSimilar, getPages, search, type SearchDeps } from "@quarry/search";
import {
  cancelResearch,
  createResearch,
  createWebhook,
  getResearch,
  SHARED_TEAM,
  WORKFLOW_CLEANUP_JOB,
  WORKFLOW_JOB,
  type Database,
  type JobHandler,
} from "@quarry/store";
import {
  createWorkflowCleanupHandler,
  createWorkflowJobHandler,
  SIGNAL_EVENT,
  SIGNAL_RESOURCE,
  type FoundPage,
  type ResearchPort,
  type ResearchState,
  type RetrievalPort,
  type WebhooksPort,
} from "@quarry/workflows";
import type { WebsetsDeps } from "@quarry/websets";
import type { Logger } from "pino";
import type { wireLiving } from "./wire-living.ts";
import { websetsPort } from "./wire-workflow-websets.ts";

/** How much a result of a workflow's search quotes. */
const HIGHLIGHT_CHARACTERS = 600;
/** A page that is not stored is fetched. */
const FETCHED = { freshness: { kind: "fetch-missing" }, fetchTimeoutMs: 20_000, snapshotAsOf: undefined } as const;
/** So many pages an answer of a workflow reads. */
const ANSWER_PAGES = 10;
/** Workflows of a team share this many research tasks at once. */
const RESEARCH_AT_ONCE = 15;

/** Puts workflows together: their routes, and the handlers of their jobs. */
export function wireMcp(parts: {
  readonly clock: Clock;
  readonly database: Database;
  readonly searching: SearchDeps;
  readonly answer: AnswerDeps;
  readonly websets: WebsetsDeps;
  readonly living: Pick<ReturnType<typeof wireLiving>, "monitors" | "checkWebhookUrl">;
  readonly logger: Logger;
}): { readonly routes: readonly Route[]; readonly handlers: Readonly<Record<string, JobHandler>> } {
  const { clock, database, searching, answer, websets, living, logger } = parts;
  const deps = {
    database,
    clock,
    retrieval: retrievalPort(searching, answer),
    research: researchPort(database, clock),
    websets: websetsPort(websets, living.monitors),
    webhooks: webhooksPort(database, clock, living.checkWebhookUrl),
    onFailure: (error: AppError) => logger.error({ err: error }, "a workflow"),
  };
  return {
    routes: workflowRoutes({ db: database, clock }),
    handlers: {
      [WORKFLOW_JOB]: createWorkflowJobHandler(deps),
      [WORKFLOW_CLEANUP_JOB]: createWorkflowCleanupHandler(deps),
    },
  };
}

function retrievalPort(searching: SearchDeps, answer: AnswerDeps): RetrievalPort {
  const teams = (teamId: string): readonly string[] => [teamId, SHARED_TEAM];
  const contents = { highlights: { maxCharacters: HIGHLIGHT_CHARACTERS } };
  return {
    search: async (teamId, { query, limit }, signal) => {
      const body = searchSchema.parse({ query, numResults: limit, contents });
      return (await search(searching, { teamIds: teams(teamId), body }, signal)).results.map(toFound);
    },
    findSimilar: async (teamId, { url, limit }, signal) => {
      const body = findSimilarSchema.parse({ url, numResults: limit, contents });
      return (await findSimilar(searching, { teamIds: teams(teamId), body }, signal)).results.map(toFound);
    },
    read: async (teamId, urls, signal) => {
      const pages = await getPages(searching, teams(teamId), urls, FETCHED, signal);
      return urls.flatMap((url) => {
        const outcome = pages.get(url);
        return outcome?.kind === "found" ? [{ url, title: outcome.page.title ?? "", text: outcome.page.text }] : [];
      });
    },
    answer: async (teamId, query, signal) => {
      const sentences: string[] = [];
      const citations = new Map<string, string>();
      const request = { teamIds: teams(teamId), question: query, maxPages: ANSWER_PAGES };
      for await (const event of answerQuestion(answer, request, signal)) {
        const quotes = event.kind === "sentence" ? event.sentence.quotes : event.end.quotes;
        if (event.kind === "sentence") sentences.push(event.sentence.text);
        for (const { url, title } of quotes) citations.set(url, title);
      }
      return { answer: sentences.join(" "), citations: [...citations].map(([url, title]) => ({ url, title })) };
    },
  };
}

function toFound(result: {
  readonly url: string;
  readonly title: string;
  readonly publishedDate?: string | undefined;
  readonly highlights?: readonly string[] | undefined;
}): FoundPage {
  const { url, title, publishedDate = null, highlights = [] } = result;
  return { url, title, publishedDate, highlights };
}

function researchPort(database: Database, clock: Clock): ResearchPort {
  return {
    begin: async (teamId, research) => {
      const wanted = { ...research, teamId, keyId: null };
      await createResearch(database, wanted, { maxRunning: RESEARCH_AT_ONCE, now: clock.now() });
    },
    get: async (teamId, id): Promise<ResearchState> => {
      const { status, output, error } = await getResearch(database, teamId, id);
      const made = status === "completed" ? (output as unknown as StoredResearch) : undefined; // written by the answer room
      return {
        status,
        content: made?.output.content ?? "",
        parsed: made?.output.parsed,
        citations: (made?.citations ?? []).map(({ url, title }) => ({ url, title: title ?? "" })),
        error,
      };
    },
    cancel: async (teamId, id) => {
      await cancelResearch(database, teamId, id, clock.now());
    },
  };
}

function webhooksPort(
  database: Database,
  clock: Clock,
  checkUrl: (url: string, signal: AbortSignal) => Promise<void>,
): WebhooksPort {
  return {
    tell: async (teamId, { name, url }, signal) => {
      await checkUrl(url, signal);
      const id = `webhook_${createHash("sha256").update(`${teamId} ${name} ${url}`).digest("hex").slice(0, 26)}`;
      const resource = { kind: SIGNAL_RESOURCE, id: name };
      const wanted = { id, teamId, url, events: [SIGNAL_EVENT], metadata: {}, secret: makeWebhookSecret(), resource };
      return (await createWebhook(database, wanted, clock.now())).id;
    },
  };
}

interface StoredResearch {
  readonly output: { readonly content: string; readonly parsed?: Readonly<Record<string, unknown>> };
  readonly citations: readonly { readonly url: string; readonly title?: string | null }[];
}
