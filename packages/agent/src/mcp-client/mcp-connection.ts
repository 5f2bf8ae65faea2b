import type {
  CallToolResult,
  Client,
  FetchLike,
  ListResourcesResult,
  ReadResourceResult,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { AppError, orAbort, sleep } from "@quarry/base";
import { describeTransport, type McpServer } from "./mcp-config.ts";
import type { McpSdk } from "./mcp-sdk.ts";
import { ProcessTransport } from "./process-transport.ts";

/** What connections need from outside. */
export interface McpConnectionDeps {
  readonly loadSdk: () => Promise<McpSdk>;
  /** The way out for a server's address: guarded, and open to private hosts only where the operator named them. */
  readonly fetchOf: (server: McpServer) => FetchLike;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly backOff?: BackOff;
}

/** When a server that failed is tried again. */
export interface BackOff {
  readonly firstMs: number;
  readonly mostMs: number;
  /** A call waits this long for the next try; beyond that it fails at once. */
  readonly waitMs: number;
}

const BACK_OFF: BackOff = { firstMs: 500, mostMs: 30_000, waitMs: 5_000 };
/** How long a server may take to start and introduce itself. */
const START_MS = 30_000;
/** A server that lived this long before it died is not a failing one. */
const HEALTHY_MS = 10_000;
/** A server that nobody asks is stopped. */
const IDLE_MS = 15 * 60_000;
/** The longest a call may take, however much progress it reports. */
export const MAX_CALL_MS = 30 * 60_000;

/** How a call is followed. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string, fraction: number | undefined) => void;
}

interface Open {
  readonly client: Client;
  readonly transport: Transport;
}

/** One server: started when it is first asked, again when it died, stopped when idle or closed. */
export class McpConnection {
  readonly #deps: McpConnectionDeps;
  readonly #server: McpServer;
  readonly #backOff: BackOff;
  #open: Promise<Open> | undefined;
  #openedAt = 0;
  #failures = 0;
  #notBefore = 0;
  #lastFailure = "";
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: McpConnectionDeps, server: McpServer) {
    this.#deps = deps;
    this.#server = server;
    this.#backOff = deps.backOff ?? BACK_OFF;
  }

  /** The tools it has now. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    return this.#ask(signal, async (client) => {
      const { tools } = await client.listTools({}, { ...this.#limits(signal), cacheMode: "refresh" });
      return tools;
    });
  }

  /** Calls a tool. What the tool itself reports as wrong is in its result; silence past the limit is a `timeout`. */
  async callTool(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult> {
    return this.#ask(options.signal, (client) =>
      client.callTool(
        { name, arguments: { ...args } },
        {
          ...this.#limits(options.signal),
          resetTimeoutOnProgress: true,
          maxTotalTimeout: MAX_CALL_MS,
          onprogress: ({ progress, total, message }) =>
            options.onProgress?.(
              message ?? `${this.#server.name}: ${progress}${total === undefined ? "" : ` of ${total}`}`,
              total === undefined || total <= 0 ? undefined : Math.min(1, progress / total),
            ),
        },
      ),
    );
  }

  /** The resources it has; none for a server without any. */
  async resources(signal: AbortSignal): Promise<ListResourcesResult["resources"]> {
    return this.#ask(signal, async (client) => {
      if (client.getServerCapabilities()?.resources === undefined) return [];
      return (await client.listResources({}, { ...this.#limits(signal), cacheMode: "refresh" })).resources;
    });
  }

  async readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    return this.#ask(signal, (client) =>
      client.readResource({ uri }, { ...this.#limits(signal), cacheMode: "refresh" }),
    );
  }

  /** Ends the server's program, or the session at its address. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #limits(signal: AbortSignal): { readonly signal: AbortSignal; readonly timeout: number } {
    return { signal, timeout: this.#server.timeoutMs };
  }

  async #ask<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    const open = await this.#connect(signal);
    try {
      return await work(open.client);
    } catch (error) {
      signal.throwIfAborted();
      const { SdkHttpError } = await this.#deps.loadSdk();
      if (error instanceof SdkHttpError && error.status === 404) {
        // The address forgot our session, as after a restart: it did nothing, and greets us anew.
        await this.#drop(open);
        return await work((await this.#connect(signal)).client);
      }
      throw await this.#explain(error, open);
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.#stop(), IDLE_MS);
      this.#idle.unref();
    }
  }

  async #connect(signal: AbortSignal): Promise<Open> {
    if (this.#open === undefined) await this.#waitForTurn(signal);
    if (this.#isClosed) throw new AppError("unavailable", "the MCP servers are being stopped");
    return orAbort((this.#open ??= this.#start()), signal);
  }

  async #waitForTurn(signal: AbortSignal): Promise<void> {
    const waitMs = this.#notBefore - performance.now();
    if (waitMs <= 0) return;
    if (waitMs > this.#backOff.waitMs) {
      const { name } = this.#server;
      throw new AppError(
        "unavailable",
        `the MCP server ${name} failed ${this.#failures} times (${this.#lastFailure}); it is tried again in ${Math.ceil(waitMs / 1_000)} s`,
        { retryable: true, retryAfterMs: waitMs },
      );
    }
    await sleep(waitMs, signal);
  }

  /** Whoever asks first starts it; nobody's cancellation takes it from the others. */
  async #start(): Promise<Open> {
    const sdk = await this.#deps.loadSdk();
    const transport = this.#transport(sdk);
    // A program is greeted the way every server since 2024 knows: to try the newer way it would have to be started
    // twice. An address is asked first whether it speaks the newer one.
    const client = new sdk.Client(
      { name: "quarry", version: "0.1.0" },
      { versionNegotiation: { mode: this.#server.transport.kind === "stdio" ? "legacy" : "auto" } },
    );
    client.onclose = () => this.#died(client);
    try {
      await client.connect(transport, { timeout: START_MS });
      this.#openedAt = performance.now();
      return { client, transport };
    } catch (error) {
      await transport.close().catch(() => undefined); // it may never have started
      this.#open = undefined;
      const said = transport instanceof ProcessTransport ? transport.lastWords : "";
      this.#failed(said === "" ? reasonOf(error) : `${reasonOf(error)}; it said: ${lastLine(said)}`);
      throw new AppError(
        "unavailable",
        `the MCP server ${this.#server.name} (${describeTransport(this.#server.transport)}) does not start: ${this.#lastFailure}`,
        { retryable: true, cause: error },
      );
    }
  }

  #transport(sdk: McpSdk): Transport {
    const { transport } = this.#server;
    if (transport.kind === "stdio") return new ProcessTransport(sdk, transport, this.#deps.environment);
    return new sdk.StreamableHTTPClientTransport(new URL(transport.url), {
      fetch: this.#deps.fetchOf(this.#server),
      requestInit: { headers: { ...transport.headers } },
    });
  }

  #died(client: Client): void {
    const open = this.#open;
    void open?.then(
      (current) => {
        if (current.client !== client || this.#open !== open) return;
        this.#open = undefined;
        if (this.#isClosed) return;
        if (performance.now() - this.#openedAt >= HEALTHY_MS) this.#failures = 0;
        const said = current.transport instanceof ProcessTransport ? lastLine(current.transport.lastWords) : "";
        this.#failed(said === "" ? "it ended" : `it ended and said: ${said}`);
      },
      () => undefined, // it did not start, which its starter tells
    );
  }

  #failed(reason: string): void {
    this.#lastFailure = reason;
    const { firstMs, mostMs } = this.#backOff;
    this.#notBefore = performance.now() + Math.min(mostMs, firstMs * 2 ** this.#failures);
    this.#failures += 1;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const open = this.#open;
    this.#open = undefined;
    await open?.then(
      ({ client }) => client.close(),
      () => undefined, // it did not start
    );
  }

  /** Forgets an open connection, so that the next call makes another. */
  async #drop(open: Open): Promise<void> {
    const held = this.#open;
    if (held === undefined || (await held) !== open || this.#open !== held) return;
    this.#open = undefined;
    await open.client.close();
  }

  async #explain(error: unknown, open: Open): Promise<AppError> {
    const { name, timeoutMs, transport } = this.#server;
    const { ProtocolError, SdkError, SdkErrorCode } = await this.#deps.loadSdk();
    if (error instanceof AppError) return error;
    const isAnswer =
      error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
    const isSilence = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    if (transport.kind === "http" && !isAnswer && !isSilence) {
      await this.#drop(open); // the line to it broke
      this.#failed(reasonOf(error));
    }
    if (isSilence) {
      return new AppError(
        "timeout",
        `the MCP server ${name} said nothing for ${timeoutMs} ms, so the call was called off`,
        {
          retryable: true,
          cause: error,
        },
      );
    }
    const gone: readonly string[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed];
    if (error instanceof SdkError && gone.includes(error.code)) {
      return new AppError(
        "unavailable",
        `the MCP server ${name} ended while it was asked; whether the call took effect is not known`,
        { retryable: true, cause: error },
      );
    }
    return new AppError("upstream_failed", `the MCP server ${name} refused: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "there is no such program";
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

function lastLine(text: string): string {
  return (text.trim().split("\n").at(-1) ?? "").slice(0, 300);
}
