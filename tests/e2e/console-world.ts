import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFakeEmbedder } from "@quarry/models";
import { startTestModelServer } from "@quarry/models/testing";
import type { Browser } from "playwright-core";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";
import { launchBrowser } from "./console-browser.ts";

/** A real server, a real browser, and models that say what the test wants. */
export interface ConsoleWorld {
  readonly browser: Browser;
  readonly models: ScriptedModels;
  readonly directory: string;
  /** The server as it runs now: another process after `restart`. */
  readonly server: () => ServerProcess;
  /** SIGKILL; nothing answers until `restart`. */
  readonly kill: () => Promise<void>;
  /** A new process on the same port and data, with further settings where told. */
  readonly restart: (further?: Readonly<Record<string, string>>) => Promise<void>;
  /** As it was in the beginning but for the data, whatever a test that failed left: models that speak, a server as first set. */
  readonly settle: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the three, side by side. Vectors come from words that texts share: no model has to be loaded for that. */
export async function startConsoleWorld(
  wish: {
    readonly settings?: Readonly<Record<string, string>>;
    /** Whether the scripted language model is the server's from the start. */
    readonly hasLlm?: boolean;
  } = {},
): Promise<ConsoleWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-console-"));
  const models = await startScriptedModels();
  const settings = {
    QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    QUARRY_EMBED_URL: models.url,
    ...(wish.hasLlm === true ? { QUARRY_LLM_URL: models.url, QUARRY_LLM_MODEL: "scripted" } : {}),
    ...wish.settings,
  };
  const [first, browser] = await Promise.all([startServerProcess(directory, settings), launchBrowser()]);
  let server = first;
  let isAsFirstSet = true;
  const kill = (): Promise<void> => {
    isAsFirstSet = false;
    return server.kill();
  };
  const restart = async (further: Readonly<Record<string, string>> = {}): Promise<void> => {
    const port = new URL(server.url).port;
    server = await startServerProcess(directory, { ...settings, ...further, QUARRY_PORT: port });
    isAsFirstSet = Object.keys(further).length === 0;
  };
  return {
    browser,
    models,
    directory,
    server: () => server,
    kill,
    restart,
    settle: async () => {
      models.open();
      models.script(undefined);
      if (isAsFirstSet) return;
      await kill();
      await restart();
    },
    stop: async () => {
      models.open();
      await browser.close();
      await server.stop();
      await models.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What the scripted language model writes when it is asked for text. */
export const FIRST_SENTENCE = "Granite is quarried with diamond wire [1]. ";
const SECOND_SENTENCE = "Water cools the wire while it cuts [1].";

/** What was asked of the language model, as one text. */
export type ScriptedReply = (asked: string) => object | undefined;

/** Models that can be held: a language model and one for vectors, behind one address. */
export interface ScriptedModels {
  readonly url: string;
  /** The language model is silent from now on, after the first sentence too; to some questions alone where told so. */
  readonly shut: (holds?: (asked: string) => boolean) => void;
  readonly open: () => void;
  /**
   * What it says when it is asked for JSON; undefined for nothing of use, so that Quarry's own rules decide. Nothing is
   * scripted in the beginning.
   */
  readonly script: (reply: ScriptedReply | undefined) => void;
  readonly close: () => Promise<void>;
}

async function startScriptedModels(): Promise<ScriptedModels> {
  const embedder = createFakeEmbedder(64);
  let isHeld: (asked: string) => boolean = () => false;
  let held: (() => void)[] = [];
  let scripted: ScriptedReply | undefined;
  const whenOpen = (asked: string, say: () => void): void => {
    if (isHeld(asked)) held.push(say);
    else say();
  };
  const frame = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`;
  const complete = (body: Readonly<Record<string, unknown>>, response: ServerResponse): void => {
    const asked = JSON.stringify(body["messages"]);
    if (body["stream"] === true) {
      response.setHeader("content-type", "text/event-stream");
      response.write(frame({ content: `${FIRST_SENTENCE}Water` }, null));
      whenOpen(asked, () => {
        response.write(frame({ content: SECOND_SENTENCE.slice("Water".length) }, null));
        response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
      });
      return;
    }
    whenOpen(asked, () => {
      const content = JSON.stringify(scripted?.(asked) ?? "no");
      const message = { role: "assistant", content };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
    });
  };
  const server = await startTestModelServer(({ path: asked, body }, response) => {
    if (!asked.endsWith("/embeddings")) {
      complete(body, response);
      return;
    }
    void embedder.embed(body["input"] as readonly string[]).then((vectors) => {
      response.end(JSON.stringify({ data: vectors.map((vector, index) => ({ index, embedding: [...vector] })) }));
    });
  });
  return {
    url: server.url,
    shut: (holds = () => true) => {
      isHeld = holds;
    },
    open: () => {
      isHeld = () => false;
      for (const say of held) say();
      held = [];
    },
    script: (reply) => {
      scripted = reply;
    },
    close: server.close,
  };
}

/** A site on loopback. */
export interface MiniWeb {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves the pages by path, as HTML unless they are text; everything else is missing. */
export async function startMiniWeb(pages: (path: string) => string | undefined): Promise<MiniWeb> {
  const server = createServer((request, response) => {
    const page = pages(request.url ?? "/");
    if (page === undefined) {
      response.writeHead(404).end("no");
      return;
    }
    response.setHeader("content-type", page.startsWith("<") ? "text/html" : "text/plain").end(page);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
