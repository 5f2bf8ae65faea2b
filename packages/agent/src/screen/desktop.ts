import { execFile, spawn, type ChildProcess } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "@quarry/base";
import { readImage } from "../workspace/read-image.ts";
import { endWithProcess } from "../end-with-process.ts";
import type { Button, Desk } from "./desk.ts";
import { requireStarted } from "../require-started.ts";

/** The programs of a desktop; undefined for one that is not installed. */
export interface DesktopPrograms {
  readonly xvfb: string | undefined;
  readonly xdotool: string | undefined;
  readonly ffmpeg: string | undefined;
}

/** A desktop of its own: a display that nobody sees, with a mouse and a keyboard. */
export interface Desktop extends Desk {
  /** Such as `:101`. */
  readonly display: string;
}

/** The size of a desktop unless told otherwise. */
const SIZE = { width: 1_280, height: 800 };
const COMMAND_MS = 15_000;
const MAX_SHOT_BYTES = 50 * 1024 * 1024;
const BUTTON_NUMBERS: Readonly<Record<Button, number>> = { left: 1, middle: 2, right: 3, back: 8, forward: 9 };
const run = promisify(execFile);

/** What is missing for a desktop, and how to get it; undefined when nothing is. */
export function missingForDesktop(programs: DesktopPrograms): string | undefined {
  const missing = [
    ...(programs.xvfb === undefined ? ["xvfb"] : []),
    ...(programs.xdotool === undefined ? ["xdotool"] : []),
    ...(programs.ffmpeg === undefined ? ["ffmpeg"] : []),
  ];
  if (missing.length === 0) return undefined;
  return `a desktop needs ${missing.join(" and ")} (apt-get install ${missing.join(" ")})`;
}

/** Starts a desktop and, when given, fills it. Throws `unavailable` with what is missing. */
export async function openDesktop(
  programs: DesktopPrograms,
  options: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly size?: { readonly width: number; readonly height: number };
    /** Opens windows on it; what it returns closes them. */
    readonly fill?: (desktop: {
      readonly display: string;
      readonly width: number;
      readonly height: number;
    }) => Promise<() => Promise<void>>;
  },
): Promise<Desktop> {
  const { xvfb, xdotool, ffmpeg } = programs;
  if (xvfb === undefined || xdotool === undefined || ffmpeg === undefined) {
    throw new AppError("unavailable", missingForDesktop(programs) ?? "");
  }
  const { width, height } = options.size ?? SIZE;
  const screen = requireStarted(
    spawn(
      xvfb,
      [
        ...["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"],
        // With a window on it a display ends with that window, also when we are killed; an empty one stays.
        options.fill === undefined ? "-noreset" : "-terminate",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe"] },
    ),
  );
  endWithProcess(screen, "itself");
  const display = await displayOf(screen);
  const environment = { ...options.environment, DISPLAY: display };
  const clear = await options.fill?.({ display, width, height }).catch(async (error: unknown) => {
    await stop(screen);
    throw error;
  });
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(xdotool, args, { env: environment, timeout: COMMAND_MS });
    return stdout;
  };
  const tell = async (...args: readonly string[]): Promise<void> => {
    await ask(...args);
  };
  const cursor = async () => {
    const said = await ask("getmouselocation", "--shell");
    return { x: Number(/X=(\d+)/.exec(said)?.[1] ?? 0), y: Number(/Y=(\d+)/.exec(said)?.[1] ?? 0) };
  };
  return {
    display,
    width,
    height,
    cursor,
    move: async (to) => {
      const { x, y } = await cursor();
      // Where it is already, --sync would wait for a move that never comes.
      if (x !== to.x || y !== to.y) await tell("mousemove", "--sync", String(to.x), String(to.y));
    },
    press: (button) => tell("mousedown", String(BUTTON_NUMBERS[button])),
    release: (button) => tell("mouseup", String(BUTTON_NUMBERS[button])),
    click: (button, count) => tell("click", "--repeat", String(count), "--delay", "80", String(BUTTON_NUMBERS[button])),
    scroll: async ({ x, y }) => {
      const button = y < 0 ? 4 : y > 0 ? 5 : x < 0 ? 6 : 7;
      await tell("click", "--repeat", String(Math.abs(x + y)), "--delay", "20", String(button));
    },
    type: (text) => tell("type", "--clearmodifiers", "--delay", "5", "--", text),
    keyDown: (keys) => tell("keydown", ...keys),
    keyUp: (keys) => tell("keyup", ...keys),
    shoot: async (scale) => {
      const size = `${Math.round(width * scale)}:${Math.round(height * scale)}`;
      const grab = ["-f", "x11grab", "-video_size", `${width}x${height}`, "-i", display, "-frames:v", "1"];
      const made = ["-vf", `scale=${size}`, "-c:v", "libwebp", "-quality", "80", "-f", "webp", "pipe:1"];
      const { stdout } = await run(ffmpeg, ["-v", "error", ...grab, ...made], {
        encoding: "buffer",
        maxBuffer: MAX_SHOT_BYTES,
        timeout: COMMAND_MS,
      });
      const image = readImage(stdout);
      if (image === undefined) throw new AppError("upstream_failed", "ffmpeg made no picture of the screen");
      return { webp: stdout, width: image.width, height: image.height };
    },
    isOpen: () => screen.exitCode === null && screen.signalCode === null,
    close: async () => {
      await clear?.();
      await stop(screen);
    },
  };
}

/** Xvfb says which display it took. */
function displayOf(screen: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(new AppError("unavailable", "Xvfb does not start"));
    screen.once("error", failed);
    screen.once("exit", failed);
    screen.stdio[3]?.once("data", (data: unknown) => resolve(`:${String(data).trim()}`));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await ended;
  clearTimeout(timer);
}
