import { hostname } from "node:os";
import path from "node:path";
import { systemClock } from "@quarry/base";
import { describeConfig, type Config } from "@quarry/config";
import { PRICE_LISTS } from "@quarry/contract";
import {
  agentRunRoutes,
  approvalRoutes,
  auditRoutes,
  createMetrics,
  eventStreamRoutes,
  judgedQueryRoutes,
  registerProcessMetrics,
  searchRoutes,
  setupRoutes,
  signInUrl,
  toolRoutes,
  toolSessionRoutes,
  websetRoutes,
} from "@quarry/doors";
import {
  createFirstKey,
  createSignInLink,
  ensureFirstTeam,
  hasDocuments,
  isSampleLoaded,
  needsFirstKey,
  renewLocalKey,
  startJobRunner,
  sweepIdempotentRequests,
  type SampleWish,
} from "@quarry/store";
import type { Logger } from "pino";
import type { StartReport } from "./banner.ts";
import { closeAll } from "./close-all.ts";
import { createHealth } from "./health.ts";
import { openIndexing } from "./indexing/open-indexing.ts";
import { openDoor } from "./open-door.ts";
import { chooseEmbedder } from "./open-embedder.ts";
import { openStore } from "./open-store.ts";
import { localUrl } from "./server-address.ts";
import { removeServerFile, writeServerFile } from "./server-file.ts";
import { keepModel, testModel } from "./setup-model.ts";
import { startSample, type SampleStart } from "./start-sample.ts";
import { watchModels } from "./watch-models.ts";
import { wireAnswer } from "./wire-answer.ts";
import { wireBatches } from "./wire-batches.ts";
import { wireIngest } from "./wire-ingest.ts";
import { wireLiving } from "./wire-living.ts";
import { wireMcp } from "./wire-mcp.ts";
import { wireSearch } from "./wire-search.ts";
import { wireOutside } from "./wire-outside.ts";
import { wireTools } from "./wire-tools.ts";
import { wireUpstream } from "./wire-upstream.ts";
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

/** Wires the rooms and serves them. This and `open-store.ts` are the only places that construct things. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const began = performance.now();
  const { config, logger, version, bundleDirectory } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    await closeAll(closers.splice(0).reverse());
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
    const { teamId } = await ensureFirstTeam(database, { apiKey: config.apiKey, now: systemClock.now() });

    const servesPeople = config.role !== "worker";
    // Asked before anybody can reach the server and make a key, and made when nothing can fail any more.
    const isKeyNeeded = servesPeople && config.apiKey === undefined && (await needsFirstKey(database, teamId));

    const ingest = wireIngest({ ...options, database });
    closers.push(ingest.close);
    const { blobs, snapshots, readPage } = ingest;
    const { dialer, visits, browserPath } = ingest.visiting;

    const metrics = createMetrics();
    closers.push(registerProcessMetrics(metrics).close);
    const embedder = await chooseEmbedder(config);
    const models = watchModels(embedder.load);
    closers.push(models.close);
    const environment = options.environment ?? { PATH: options.searchPath.join(path.delimiter) };
    const indexing = openIndexing({
      config,
      database,
      address: store.address,
      storageOptions: options.objectStorage,
      embedder,
      bundleDirectory,
      environment,
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
    const answering = wireAnswer({ config, clock: systemClock, searching, models });
    closers.push(answering.close);
    let baseUrl = config.publicUrl ?? localUrl(config, config.port);
    const { websets, handlers: websetHandlers } = wireWebsets({
      config,
      clock: systemClock,
      searching,
      llm: answering.answer.llm,
      settleModel: models.settle,
      logger,
      baseUrl: () => baseUrl,
    });
    const { writer } = answering;
    const living = wireLiving({ config, clock: systemClock, blobs, searching, websets, writer });
    closers.push(living.close);
    const { answer } = answering;
    const prices = PRICE_LISTS[config.prices];
    const batched = [
      ...searchRoutes({ search: { ...searching, writer }, prices }),
      ...agentRunRoutes({ db: database, clock: systemClock }),
    ];
    const batches = wireBatches({ clock: systemClock, database, logger, baseUrl: () => baseUrl, operations: batched });
    const workflows = wireMcp({ clock: systemClock, database, searching, answer, websets, living, logger });
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

    let stopJobs: () => Promise<unknown> = () => Promise.resolve();
    if (config.role !== "api") {
      await ingest.schedule();
      await living.schedule();
      await batches.schedule();
      const runner = await startJobRunner({
        database,
        handlers: {
          ...ingest.handlers,
          ...answering.handlers,
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
      stopJobs = () => runner.stop({ deadlineMs: STOP_DEADLINE_MS });
      closers.push(async () => {
        await stopJobs();
      });
    }
    const sweep = setInterval(() => {
      sweepIdempotentRequests(database).catch((error: unknown) => logger.warn({ err: error }, "sweeping old replies"));
    }, SWEEP_MS);
    closers.push(() => clearInterval(sweep));

    const door = await openDoor({
      config,
      db: database,
      log: logger,
      version,
      metrics,
      health,
      tools,
      teamId,
      bundleDirectory,
      stopWithinMs: STOP_DEADLINE_MS,
      routes: [
        ...ingest.routes({ indexing, operatorTeamId: teamId }),
        ...batched,
        ...judgedQueryRoutes({ db: database, search: searching, clock: systemClock }),
        ...answering.routes,
        ...batches.routes,
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
          operatorTeamId: teamId,
          settings: () => [...describeConfig(config)],
          testModel,
          keepModel: (endpoint) => keepModel(config, options.configFile, endpoint),
          loadSample: async () => {
            if (await isSampleLoaded(database)) return { status: "loaded" };
            if (sample === undefined || sample.isDone()) sample = beginSample("asked-for");
            return { status: "loading" };
          },
        }),
      ],
    });
    closers.push(door.close);
    closers.push(health.stopping);
    // Waited for where their turn comes, and told first: jobs and open requests have the same few seconds to end.
    closers.push(() => void stopJobs());

    const url = localUrl(config, door.port);
    baseUrl = config.publicUrl ?? url;
    await store.announceUrl(url);
    // A worker serves nobody: beside an api on one data directory, programs of this machine are to find the api.
    if (servesPeople) {
      const key = await renewLocalKey(database, teamId, {
        name: `${hostname()} ${config.dataDir}`,
        now: systemClock.now(),
      });
      const startedAt = systemClock.now().toISOString();
      writeServerFile(config.dataDir, { url, pid: process.pid, key, version, startedAt });
      closers.push(() => removeServerFile(config.dataDir));
    }
    await sample?.searchable(FIRST_PAGES_WAIT_MS);
    health.started();
    if (config.auth === "none")
      logger.warn("QUARRY_AUTH=none: no key is asked, whoever reaches this port may do everything");

    const link =
      servesPeople && config.auth !== "none"
        ? await createSignInLink(database, { teamId, keyId: null }, systemClock.now())
        : undefined;
    const hasPages = await hasDocuments(database);
    return {
      stop,
      report: {
        version,
        url: config.publicUrl ?? url,
        servesPeople,
        // The last thing that is waited for: a start that ends before it shows the key has made none.
        newKey: isKeyNeeded ? await createFirstKey(database, teamId, systemClock.now()) : undefined,
        signInUrl: link === undefined ? undefined : signInUrl(config.publicUrl ?? url, link.token),
        dataDirectory: config.dataDir,
        database: store.description,
        authMode: config.auth,
        hasPages,
        startMs: performance.now() - began,
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
