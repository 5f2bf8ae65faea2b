import { hostname } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createResearchJobHandler } from "@quarry/answer";
import { systemClock } from "@quarry/base";
import { describeConfig, isLoopbackHost, type Config } from "@quarry/config";
import { PRICE_LISTS } from "@quarry/contract";
import {
  agentRunRoutes,
  answerRoutes,
  answerSocketError,
  approvalRoutes,
  auditRoutes,
  backupRoutes,
  chatCompletionRoutes,
  contextRoutes,
  createHttpApp,
  crawlHostRoutes,
  crawlRoutes,
  createMetrics,
  documentRoutes,
  eventStreamRoutes,
  extractRoutes,
  indexAdminRoutes,
  indexTransferRoutes,
  mountMcp,
  mountRpc,
  RATE_LIMIT_PRESETS,
  researchRoutes,
  responseRoutes,
  registerProcessMetrics,
  retentionRoutes,
  searchRoutes,
  setupRoutes,
  signInUrl,
  snapshotRoutes,
  toolRoutes,
  toolSessionRoutes,
  websetRoutes,
} from "@quarry/doors";
import {
  CRAWL_JOB,
  createSignInLink,
  ensureFirstTeam,
  hasDocuments,
  isSampleLoaded,
  renewLocalKey,
  RESEARCH_JOB,
  startJobRunner,
  sweepIdempotentRequests,
  type SampleWish,
} from "@quarry/store";
import {
  createCrawlJobHandler,
  createRecrawlJobHandler,
  createRetentionJobHandler,
  createPageReader,
  createSnapshotStore,
  ingestPages,
  mapSite,
  RECRAWL_JOB,
  RETENTION_JOB,
  scheduleRecrawls,
  scheduleRetention,
  type PageToIngest,
} from "@quarry/ingest";
import type { Logger } from "pino";
import type { StartReport } from "./banner.ts";
import { createHealth } from "./health.ts";
import { openIndexing } from "./indexing/open-indexing.ts";
import { listenOnOnePort } from "./one-port-listener.ts";
import { openBlobs } from "./open-blobs.ts";
import { chooseEmbedder } from "./open-embedder.ts";
import { openStore } from "./open-store.ts";
import { localUrl } from "./server-address.ts";
import { removeServerFile, writeServerFile } from "./server-file.ts";
import { keepModel, testModel } from "./setup-model.ts";
import { startSample, type SampleStart } from "./start-sample.ts";
import { watchModels } from "./watch-models.ts";
import { wireAnswer } from "./wire-answer.ts";
import { wireBatches } from "./wire-batches.ts";
import { wireLiving } from "./wire-living.ts";
import { wireMcp } from "./wire-mcp.ts";
import { wireSearch } from "./wire-search.ts";
import { wireOutside } from "./wire-outside.ts";
import { wireTools } from "./wire-tools.ts";
import { wireUpstream } from "./wire-upstream.ts";
import { wireVisits } from "./wire-visits.ts";
import { wireWebhooks } from "./wire-webhooks.ts";
import { wireWebsets } from "./wire-websets.ts";

/** A server at work. */
export interface RunningServer {
  readonly report: StartReport;
  /** Lets requests and jobs finish, hands back the rest, stops the database. Under ten seconds. */
  readonly stop: () => Promise<void>;
}

/** What a start needs beside its settings. */
export interface StartOptions {
  readonly config: Config;
  /** The configuration file, which need not exist. */
  readonly configFile: string;
  readonly logger: Logger;
  readonly version: string;
  /** The directories of PATH. */
  readonly searchPath: readonly string[];
  /** What programs that tools start may know a part of; only where programs are, when left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How object storage is reached: see `readObjectStorage`. */
  readonly objectStorage: Readonly<Record<string, string>>;
  /** Where the bundles lie, with migrations and console beside them. */
  readonly bundleDirectory: string;
}

/** How long open requests and running jobs get to finish. */
const STOP_DEADLINE_MS = 7_000;
const SWEEP_MS = 3_600_000;
/** A first start says that it is ready when its pages can be found, or after this long. */
const FIRST_PAGES_WAIT_MS = 10_000;
/** Threads that read pages; two keep both cores of a small machine busy during a bulk load, and none otherwise. */
const READING_THREADS = 2;

/** Wires the rooms and serves them. This and `open-store.ts` are the only places that construct things. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const began = performance.now();
  const { config, logger, version, bundleDirectory } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore({
      databaseUrl: config.databaseUrl,
      dataDirectory: config.dataDir,
      migrationsDirectory: path.join(bundleDirectory, "migrations"),
      logger,
    });
    closers.push(store.close);
    const { database } = store;
    const first = await ensureFirstTeam(database, { apiKey: config.apiKey, now: systemClock.now() });

    const { readPage, close: closeReader } = createPageReader({
      entry: pathToFileURL(path.join(bundleDirectory, "read-page-thread.js")),
      threads: READING_THREADS,
    });
    closers.push(closeReader);
    const blobs = openBlobs(config, options.objectStorage);
    closers.push(blobs.close);
    const snapshots = createSnapshotStore(blobs.store);

    const retention = {
      versions: config.retainVersions,
      versionDays: config.retainVersionDays,
      usageDays: config.retainUsageDays,
    };

    const visiting = wireVisits({ config, version, searchPath: options.searchPath });
    closers.push(visiting.close);
    const { dialer, visits, renderer, browserPath } = visiting;

    const metrics = createMetrics();
    closers.push(registerProcessMetrics(metrics).close);
    const embedder = await chooseEmbedder(config);
    const models = watchModels(embedder.load);
    closers.push(models.close);
    const indexing = openIndexing({
      config,
      database,
      address: store.address,
      storageOptions: options.objectStorage,
      embedder,
      bundleDirectory,
      metrics,
      logger,
    });
    closers.push(indexing.close);
    const beginSample = (wish: SampleWish): SampleStart => {
      const begun = startSample(
        { database, snapshots, now: systemClock.now, wish, isIndexed: indexing.isIndexed, logger },
        path.join(bundleDirectory, "..", "sample"),
      );
      closers.push(begun.close);
      return begun;
    };
    let sample = config.sample && config.role !== "api" ? beginSample("by-itself") : undefined;
    const health = createHealth({
      models,
      index: indexing,
      config,
      database,
      metrics,
      version,
      isEmbedded: config.databaseUrl === undefined,
    });

    const ownSearch = wireSearch({
      database,
      snapshots,
      readPage,
      index: indexing.index,
      embedQuery: models.embedQuery,
      visits,
    });
    const upstream = wireUpstream({ config, ...ownSearch });
    closers.push(upstream.close);
    const searching = { ...ownSearch, fillIn: upstream.fillIn };
    const answering = wireAnswer({ config, clock: systemClock, searching, modelSettled: models.settled });
    closers.push(answering.close);
    let baseUrl = config.publicUrl ?? localUrl(config, config.port);
    const { websets, handlers: websetHandlers } = wireWebsets({
      config,
      clock: systemClock,
      searching,
      llm: answering.answer.llm,
      logger,
      baseUrl: () => baseUrl,
    });
    const { writer } = answering;
    const living = wireLiving({ config, clock: systemClock, blobs: blobs.store, searching, websets, writer });
    closers.push(living.close);
    const { answer } = answering;
    const prices = PRICE_LISTS[config.prices];
    const batched = [
      ...searchRoutes({ search: { ...searching, writer }, prices }),
      ...agentRunRoutes({ db: database, clock: systemClock }),
    ];
    const batches = wireBatches({ clock: systemClock, database, logger, baseUrl: () => baseUrl, operations: batched });
    const workflows = wireMcp({ clock: systemClock, database, searching, answer, websets, living, logger });
    const environment = options.environment ?? { PATH: options.searchPath.join(path.delimiter) };
    const outside = wireOutside({ config, dialer, browserPath, environment });
    const tools = await wireTools({
      config,
      clock: systemClock,
      database,
      searching,
      logger,
      bundleDirectory,
      llm: answer.llm,
      outside,
      environment,
    });
    closers.push(() => tools.close());
    const webhooks = await wireWebhooks({ config, clock: systemClock, database, searching, version, logger });
    closers.push(webhooks.close);

    if (config.role !== "api") {
      await scheduleRecrawls(database);
      await scheduleRetention(database);
      await living.schedule();
      await batches.schedule();
      const runner = await startJobRunner({
        database,
        handlers: {
          [CRAWL_JOB]: createCrawlJobHandler({ database, snapshots, readPage, renderer, ...visits }),
          [RECRAWL_JOB]: createRecrawlJobHandler({ database, now: systemClock.now }),
          [RETENTION_JOB]: createRetentionJobHandler({
            database,
            blobs: blobs.store,
            policy: retention,
            now: systemClock.now,
          }),
          [RESEARCH_JOB]: createResearchJobHandler(answering.research),
          ...webhooks.handlers,
          ...websetHandlers,
          ...living.handlers,
          ...batches.handlers,
          ...workflows.handlers,
        },
        onEvent: (event) => {
          if (event.kind === "step-failed") logger.error({ step: event.step, err: event.error }, "the job runner");
          else logger.debug(event, "the job runner");
        },
      });
      closers.push(async () => {
        await runner.stop({ deadlineMs: STOP_DEADLINE_MS });
      });
    }
    const sweep = setInterval(() => {
      sweepIdempotentRequests(database).catch((error: unknown) => logger.warn({ err: error }, "sweeping old replies"));
    }, SWEEP_MS);
    closers.push(() => clearInterval(sweep));

    const documents = {
      db: database,
      clock: systemClock,
      operatorTeamId: first.teamId,
      isIndexed: indexing.isIndexed,
      ingest: async (pages: readonly PageToIngest[], signal: AbortSignal) => {
        await indexing.waitForRoom(signal);
        return ingestPages({ database, snapshots, readPage }, pages, { signal });
      },
    };
    const app = createHttpApp({
      db: database,
      clock: systemClock,
      log: logger,
      version,
      auth: config.auth === "none" ? { mode: "none", teamId: first.teamId } : { mode: "key" },
      serves: config.role === "worker" ? "health" : "everything",
      routes: [
        ...documentRoutes(documents),
        ...indexAdminRoutes({ ...documents, searchIndexStats: indexing.stats }),
        ...indexTransferRoutes({ ...documents, snapshots, software: `Quarry/${version}` }),
        ...crawlRoutes({
          db: database,
          clock: systemClock,
          isOpenedHost: visiting.isOpenedHost,
          mapSite: (wish, signal) => mapSite({ ...visits, readPage }, wish, signal),
        }),
        ...crawlHostRoutes({ ...visits.robots, ...visits.paces, agent: visits.agent }),
        ...batched,
        ...answerRoutes({ answer, prices }),
        ...chatCompletionRoutes({ answer, prices }),
        ...contextRoutes({ answer, prices }),
        ...researchRoutes({ db: database, clock: systemClock }),
        ...batches.routes,
        ...responseRoutes({ db: database, clock: systemClock }),
        ...extractRoutes({ readPage, clock: systemClock }),
        ...snapshotRoutes({ db: database, snapshots }),
        ...eventStreamRoutes({ db: database }),
        ...webhooks.routes,
        ...websetRoutes({ websets }),
        ...living.routes,
        ...workflows.routes,
        ...toolRoutes({ tools }),
        ...approvalRoutes({ tools }),
        ...toolSessionRoutes({ db: database, clock: systemClock, shells: tools.sessionShells }),
        ...auditRoutes({ db: database }),
        ...setupRoutes({
          operatorTeamId: first.teamId,
          settings: () => [...describeConfig(config)],
          testModel,
          keepModel: (endpoint) => keepModel(config, options.configFile, endpoint),
          loadSample: async () => {
            if (await isSampleLoaded(database)) return { status: "loaded" };
            if (sample === undefined || sample.isDone()) sample = beginSample("asked-for");
            return { status: "loading" };
          },
        }),
        ...backupRoutes({ db: database, blobs: blobs.store, operatorTeamId: first.teamId }),
        ...retentionRoutes({ db: database, clock: systemClock, policy: retention, operatorTeamId: first.teamId }),
      ],
      allowedHosts: isLoopbackHost(config.host) ? [] : [config.host],
      publicUrl: config.publicUrl,
      corsOrigins: config.corsOrigins,
      rateLimits: RATE_LIMIT_PRESETS[config.rateLimits],
      metrics,
      readiness: health.readiness,
      health: health.health,
      consoleDirectory: path.join(bundleDirectory, "console"),
      docsDirectory: path.join(bundleDirectory, "..", "docs"),
    });
    const stopping = new AbortController();
    app.addHook("preClose", () => {
      stopping.abort();
      return Promise.resolve();
    });
    if (config.role !== "worker") {
      mountRpc(app, { tools, stopping: stopping.signal });
      mountMcp(app, { version, clock: systemClock, withFixtures: config.mcpConformance, stopping: stopping.signal });
    }
    // Runs after the door has ended its streams and before it writes the last usage.
    app.addHook("preClose", () => closeListener());
    let closeListener = (): Promise<void> => Promise.resolve();
    await app.ready();
    const listener = await listenOnOnePort((request, response) => app.routing(request, response), {
      host: config.host,
      port: config.port,
      onClientError: answerSocketError,
    });
    closeListener = () => listener.close(STOP_DEADLINE_MS);
    closers.push(() => app.close());
    closers.push(health.stopping);

    const url = localUrl(config, listener.address.port);
    baseUrl = config.publicUrl ?? url;
    const key = await renewLocalKey(database, first.teamId, {
      name: `${hostname()} ${config.dataDir}`,
      now: systemClock.now(),
    });
    await store.announceUrl(url);
    writeServerFile(config.dataDir, {
      url,
      pid: process.pid,
      key,
      version,
      startedAt: systemClock.now().toISOString(),
    });
    closers.push(() => removeServerFile(config.dataDir));
    await sample?.searchable(FIRST_PAGES_WAIT_MS);
    health.started();
    if (config.auth === "none")
      logger.warn("QUARRY_AUTH=none: no key is asked, whoever reaches this port may do everything");

    const link =
      config.auth === "none"
        ? undefined
        : await createSignInLink(database, { teamId: first.teamId, keyId: null }, systemClock.now());
    return {
      stop,
      report: {
        version,
        url: config.publicUrl ?? url,
        newKey: first.newKey,
        signInUrl: link === undefined ? undefined : signInUrl(config.publicUrl ?? url, link.token),
        dataDirectory: config.dataDir,
        database: store.description,
        authMode: config.auth,
        hasPages: await hasDocuments(database),
        startMs: performance.now() - began,
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
