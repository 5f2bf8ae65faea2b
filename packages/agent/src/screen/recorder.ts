import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "@quarry/base";
import { endWithProcess } from "../end-with-process.ts";
import { requireStarted } from "../require-started.ts";

/** What is recorded. */
export interface RecordedScreen {
  readonly display: string;
  readonly width: number;
  readonly height: number;
}

/** One recording under way. */
export interface Recording {
  /** Ends it; its file is whole then. */
  readonly finish: () => Promise<{ readonly file: string; readonly durationMs: number }>;
  /** Ends it and removes its file. */
  readonly discard: () => Promise<void>;
}

const FRAMES_PER_SECOND = 10;
/** A recording that nobody ends stops by itself. */
const MAX_SECONDS = 1_800;
const END_MS = 10_000;

/** Starts a recording of a display into a file. Throws `unavailable` when ffmpeg ends at once. */
export async function startRecording(
  ffmpeg: string,
  screen: RecordedScreen,
  file: string,
  now: () => number = () => performance.now(),
): Promise<Recording> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const size = `${screen.width}x${screen.height}`;
  const grab = ["-f", "x11grab", "-framerate", String(FRAMES_PER_SECOND), "-video_size", size, "-i", screen.display];
  const made = [
    "-t",
    String(MAX_SECONDS),
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-pix_fmt",
    "yuv420p",
    "-y",
    file,
  ];
  // Its progress lines say when the first frame is there.
  const child = requireStarted(
    spawn(ffmpeg, ["-v", "error", "-progress", "pipe:1", ...grab, ...made], {
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  endWithProcess(child, "itself");
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await firstFrame(child);
  const startedAt = now();
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.stdin.end("q");
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    finish: async () => {
      const durationMs = Math.round(Math.min(now() - startedAt, MAX_SECONDS * 1_000));
      await end();
      if (child.exitCode !== 0) throw new AppError("upstream_failed", "ffmpeg could not finish the recording");
      return { file, durationMs };
    },
    discard: async () => {
      child.kill("SIGKILL");
      await ended;
      await rm(file, { force: true });
    },
  };
}

function firstFrame(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said = (said + data.toString("utf8")).slice(-500)));
  child.stdin.on("error", () => undefined); // it ended first, which its exit says
  return new Promise((resolve, reject) => {
    child.once("error", () => reject(new AppError("unavailable", "ffmpeg does not start")));
    child.once("exit", () => {
      reject(new AppError("unavailable", `ffmpeg does not record the screen: ${said.trim().split("\n").at(-1) ?? ""}`));
    });
    child.stdout.on("data", () => resolve());
  });
}
