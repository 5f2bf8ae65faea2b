import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { describeWith, programs, withScreens } from "../../screen/testing-screen.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { recordScreenTool } from "./record-screen.ts";

const START = "RECORDING_MODE_START_RECORDING";
const SAVE = "RECORDING_MODE_SAVE_RECORDING";
const DISCARD = "RECORDING_MODE_DISCARD_RECORDING";

describeWith([programs.xvfb, programs.xdotool, programs.ffmpeg], "record_screen", () => {
  verifies(
    [
      "tools:record-screen:params:mode",
      "tools:record-screen:params:save-as-filename",
      "tools:record-screen:result:start-success",
      "tools:record-screen:result:save-success",
      "tools:record-screen:result:discard-success",
    ],
    "films a real display, and saves it under a name that is free or throws it away",
    () =>
      withWorkspace({ "recordings/demo.mp4": "mine" }, ({ root, deps, run }) =>
        withScreens({ mode: "desktop", size: { width: 320, height: 240 } }, async (screens, directory) => {
          const tool = recordScreenTool({ ...deps, screens });
          const record = (mode: string, saveAsFilename?: string) =>
            run(tool, { mode, ...(saveAsFilename === undefined ? {} : { saveAsFilename }) });
          expect(await record(START)).toEqual({
            startSuccess: { wasPriorRecordingCancelled: false, wasSaveAsFilenameIgnored: false },
          });
          expect(await record(START, "early.mp4")).toEqual({
            startSuccess: { wasPriorRecordingCancelled: true, wasSaveAsFilenameIgnored: true },
          });
          await sleep(300); // a film has a length
          const first = (await record(SAVE, "demo.mp4")) as {
            saveSuccess: { path: string; recordingDurationMs: string };
          };
          expect(first.saveSuccess.path).toBe("recordings/demo-2.mp4"); // nothing is written over
          expect(Number(first.saveSuccess.recordingDurationMs)).toBeGreaterThanOrEqual(300);
          expect(readFileSync(path.join(root, "recordings/demo-2.mp4")).subarray(4, 8).toString()).toBe("ftyp");
          await record(START);
          expect(await record(SAVE, "../up.mp4")).toMatchObject({
            saveSuccess: {
              path: "recordings/recording-call.mp4",
              requestedFilePathRejectedReason: "REQUESTED_FILE_PATH_REJECTED_REASON_SLASHES_NOT_ALLOWED",
            },
          });
          expect(existsSync(path.join(root, "../up.mp4"))).toBe(false);
          await record(START);
          expect(await record(DISCARD)).toEqual({ discardSuccess: {} });
          expect(readdirSync(directory).filter((name) => name.endsWith(".mp4"))).toEqual([]);
        }),
      ),
    60_000,
  );
});

describe("record_screen", () => {
  verifies("tools:record-screen:result:failure", "says why nothing was recorded, and how to get what is missing", () =>
    withWorkspace({}, async ({ deps, run }) => {
      const failure = async (mode: string, options: Parameters<typeof withScreens>[0]) =>
        withScreens(options, async (screens) => {
          const result = await run(recordScreenTool({ ...deps, screens }), { mode });
          return (result as { failure: { error: string } }).failure.error;
        });
      const withFilm = { ...programs, ffmpeg: "/usr/bin/ffmpeg" };
      expect(await failure(SAVE, {})).toMatch(/No recording is under way.*Start one first/);
      expect(await failure(DISCARD, {})).toMatch(/No recording is under way/);
      expect(await failure(START, { mode: "desktop", programs: { ...programs, ffmpeg: undefined } })).toMatch(
        /apt-get install ffmpeg.*Nothing was recorded/,
      );
      expect(await failure(START, { mode: "browser", programs: withFilm })).toMatch(/QUARRY_COMPUTER_USE=desktop/);
      expect(await failure(START, { mode: "off", programs: withFilm })).toMatch(/QUARRY_COMPUTER_USE/);
      await withScreens({}, (screens) =>
        expect(run(recordScreenTool({ ...deps, screens }), { mode: "PAUSE" })).rejects.toThrow(/mode must be one of/),
      );
    }),
  );
});
