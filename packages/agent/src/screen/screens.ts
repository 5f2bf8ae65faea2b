import path from "node:path";
import { AppError } from "@quarry/base";
import { openBrowserDesk, type PageProxy } from "./browser-desk.ts";
import { Chromium, openWindow, type ChromiumOptions } from "./chromium.ts";
import type { Desk } from "./desk.ts";
import { openDesktop, type Desktop, type DesktopPrograms } from "./desktop.ts";
import { startRecording, type Recording } from "./recorder.ts";

/** How screens are made on this machine. */
export interface ScreensOptions extends ChromiumOptions {
  /** Whether sessions may have a screen, and which kind: a browser's page, or a desktop with a browser on it. */
  readonly mode: "off" | "browser" | "desktop";
  readonly programs: DesktopPrograms;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where recordings lie until they are saved. */
  readonly directory: string;
  /** The guarded way out for pages; without one they reach nothing. */
  readonly openProxy?: () => Promise<PageProxy & { readonly close: () => Promise<void> }>;
  /** The size of a desktop. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A screen that nobody uses is closed. */
const IDLE_MS = 10 * 60_000;

interface Kept {
  readonly desk: Promise<Desk | Desktop>;
  idle: NodeJS.Timeout | undefined;
}

/** The screens of sessions, one each, made when first used; and what is recorded of them. */
export class Screens {
  readonly chromium: Chromium;
  readonly #options: ScreensOptions;
  readonly #desks = new Map<string, Kept>();
  readonly #recordings = new Map<string, Recording>();
  #proxy: Promise<PageProxy & { readonly close: () => Promise<void> }> | undefined;
  #made = 0;

  constructor(options: ScreensOptions) {
    this.#options = options;
    this.chromium = new Chromium(options);
  }

  get mode(): ScreensOptions["mode"] {
    return this.#options.mode;
  }

  /** The session's screen. Throws `unavailable` with how to get one. */
  async desk(sessionId: string): Promise<Desk | Desktop> {
    for (;;) {
      const kept = this.#desks.get(sessionId) ?? this.#keep(sessionId);
      const desk = await kept.desk;
      if (desk.isOpen()) {
        clearTimeout(kept.idle);
        kept.idle = setTimeout(() => void this.#close(sessionId), IDLE_MS);
        kept.idle.unref();
        return desk;
      }
      // It crashed; the first to see it clears it away.
      if (this.#desks.get(sessionId) === kept) await this.#close(sessionId);
    }
  }

  /** Starts to record the session's desktop; says whether a recording was under way, which is gone then. */
  async startRecording(sessionId: string): Promise<boolean> {
    const { ffmpeg } = this.#options.programs;
    if (ffmpeg === undefined) {
      throw new AppError("unavailable", "recording needs ffmpeg, which is not installed (apt-get install ffmpeg)");
    }
    if (this.#options.mode === "browser") {
      throw new AppError(
        "unavailable",
        "there is no display to record: the screen is a browser's page; set QUARRY_COMPUTER_USE=desktop",
      );
    }
    const desk = await this.desk(sessionId);
    if (!("display" in desk)) throw new AppError("unavailable", "there is no display to record");
    const wasCancelled = await this.discardRecording(sessionId);
    this.#made += 1;
    const file = path.join(this.#options.directory, `recording-${process.pid}-${this.#made}.mp4`);
    this.#recordings.set(sessionId, await startRecording(ffmpeg, desk, file));
    return wasCancelled;
  }

  /** Ends the session's recording; undefined when there is none. */
  async finishRecording(
    sessionId: string,
  ): Promise<{ readonly file: string; readonly durationMs: number } | undefined> {
    const recording = this.#recordings.get(sessionId);
    this.#recordings.delete(sessionId);
    return recording?.finish();
  }

  /** Throws the session's recording away; false when there is none. */
  async discardRecording(sessionId: string): Promise<boolean> {
    const recording = this.#recordings.get(sessionId);
    this.#recordings.delete(sessionId);
    await recording?.discard();
    return recording !== undefined;
  }

  /** Ends every screen and recording. */
  async close(): Promise<void> {
    await Promise.all([...this.#recordings.keys()].map((id) => this.discardRecording(id)));
    await Promise.all([...this.#desks.keys()].map((id) => this.#close(id)));
    await this.chromium.close();
    const proxy = this.#proxy;
    this.#proxy = undefined;
    await (await proxy)?.close();
  }

  #keep(sessionId: string): Kept {
    const kept: Kept = { desk: this.#open(), idle: undefined };
    this.#desks.set(sessionId, kept);
    kept.desk.catch(() => this.#desks.delete(sessionId)); // whoever waits for it hears of it
    return kept;
  }

  async #close(sessionId: string): Promise<void> {
    const kept = this.#desks.get(sessionId);
    this.#desks.delete(sessionId);
    clearTimeout(kept?.idle);
    await this.discardRecording(sessionId);
    await kept?.desk.then(
      (desk) => desk.close(),
      () => undefined, // it did not open
    );
  }

  async #open(): Promise<Desk | Desktop> {
    const { mode, programs, environment, browserPath, sandbox, size } = this.#options;
    if (mode === "off") {
      throw new AppError(
        "unavailable",
        "no screen is offered here; the operator turns it on with QUARRY_COMPUTER_USE=browser or desktop",
      );
    }
    this.#proxy ??= this.#options.openProxy?.();
    const proxy = await this.#proxy;
    if (mode === "browser") return openBrowserDesk(this.chromium, proxy);
    const server =
      proxy === undefined ? undefined : { server: proxy.url, username: proxy.username, password: proxy.password };
    return openDesktop(programs, {
      environment,
      ...(size === undefined ? {} : { size }),
      ...(browserPath === undefined
        ? {}
        : { fill: (screen) => openWindow({ browserPath, sandbox, environment, proxy: server }, screen) }),
    });
  }
}
