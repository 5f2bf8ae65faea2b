import { readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { sleep } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { browserPath, describeWith, openTestProxy, programs, withScreens } from "../../screen/testing-screen.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { readImage } from "../../workspace/read-image.ts";
import { computerUseTool } from "./computer-use.ts";

/** A page that tells of every event, with its number. */
const PAGE = `<!doctype html><body style="margin:0;height:5000px"><input id="field" style="position:absolute;left:100px;top:100px;width:300px;height:40px">
<script>
let n = 0;
const names = ["mousemove", "mousedown", "mouseup", "click", "dblclick", "contextmenu", "wheel", "keydown", "keyup", "input"];
for (const name of names) document.addEventListener(name, (e) => {
  const { type, clientX: x, clientY: y, button, detail, ctrlKey, shiftKey, deltaX, deltaY, key } = e;
  const value = document.getElementById("field").value;
  fetch("/log", { method: "POST", keepalive: true, body: JSON.stringify({ n: n++, type, x, y, button, detail, ctrlKey, shiftKey, deltaX, deltaY, key, value }) });
}, { passive: true });
</script></body>`;

/** A browser takes long to start on a busy machine. */
const SLOW_MS = 60_000;
const at = (x: number, y: number) => ({ coordinate: { x, y } });
const open = [
  { wait: { durationMs: 100 } },
  { type: { text: "page.test/" } },
  { key: { key: "Return" } },
  { wait: { durationMs: 1_500 } },
];

describeWith([browserPath], "computer_use in a browser", () => {
  verifies(
    [
      "tools:computer-use:params:actions",
      "tools:computer-use:params:action-mouse-move",
      "tools:computer-use:params:action-click",
      "tools:computer-use:params:action-mouse-down",
      "tools:computer-use:params:action-mouse-up",
      "tools:computer-use:params:action-drag",
      "tools:computer-use:params:action-scroll",
      "tools:computer-use:params:action-type",
      "tools:computer-use:params:action-key",
      "tools:computer-use:params:action-wait",
      "tools:computer-use:params:action-screenshot",
      "tools:computer-use:params:action-cursor-position",
      "tools:computer-use:result:success",
      "tools:computer-use:result:success-action-count",
      "tools:computer-use:result:success-duration-ms",
      "tools:computer-use:result:success-screenshot",
      "tools:computer-use:result:success-screenshot-path",
      "tools:computer-use:result:success-log",
      "tools:computer-use:result:success-cursor-position",
    ],
    "does what it is told on a real page, in order, and shows the screen afterwards",
    async () => {
      const proxy = await openTestProxy(PAGE);
      await withWorkspace({}, ({ root, deps, run }) =>
        withScreens({ mode: "browser", browserPath, openProxy: () => Promise.resolve(proxy) }, async (screens) => {
          const tool = computerUseTool({ ...deps, screens });
          await run(tool, { actions: open });
          const actions: JsonObject[] = [
            { mouseMove: at(200, 300) },
            { click: { ...at(150, 120), button: "MOUSE_BUTTON_LEFT", count: 2, modifierKeys: "ctrl" } },
            { type: { text: "hi" } },
            { key: { key: "shift+a", holdDurationMs: 50 } },
            { click: { ...at(600, 400), button: "MOUSE_BUTTON_RIGHT" } },
            { mouseDown: { button: "MOUSE_BUTTON_MIDDLE" } },
            { mouseUp: { button: "MOUSE_BUTTON_MIDDLE" } },
            {
              drag: {
                path: [
                  { x: 500, y: 500 },
                  { x: 550, y: 520 },
                  { x: 600, y: 560 },
                ],
                button: "MOUSE_BUTTON_LEFT",
              },
            },
            { scroll: { ...at(640, 400), direction: "SCROLL_DIRECTION_DOWN", amount: 3, modifierKeys: "shift" } },
            { wait: { durationMs: 200 } },
            { screenshot: {} },
            { cursorPosition: {} },
          ];
          const { success } = (await run(tool, { actions })) as { success: Record<string, unknown> };
          expect(success["actionCount"]).toBe(12);
          expect(success["durationMs"]).toBeGreaterThan(250);
          expect(success["cursorPosition"]).toEqual({ x: 640, y: 400 });
          const log = String(success["log"]).split("\n");
          expect(log).toHaveLength(13);
          expect(log[1]).toBe("2. clicked left 2 times at 150,120 with ctrl");
          expect(log.at(-1)).toBe("screenshot 1280x800; coordinates are its pixels");
          const shot = Buffer.from(String(success["screenshot"]), "base64");
          expect(readImage(shot)).toEqual({ mediaType: "image/webp", width: 1280, height: 800 });
          expect(readFileSync(path.join(root, String(success["screenshotPath"])))).toEqual(shot);

          for (let tries = 0; tries < 100 && !has(proxy.logged, { type: "wheel" }); tries += 1) await sleep(20);
          expect(proxy.logged).toEqual(
            expect.arrayContaining(
              [
                { type: "mousemove", x: 200, y: 300 },
                { type: "dblclick", x: 150, y: 120, button: 0, ctrlKey: true },
                { type: "input", value: "hi" },
                { type: "keydown", key: "A", shiftKey: true },
                { type: "contextmenu", x: 600, y: 400, button: 2 },
                { type: "mousedown", x: 600, y: 400, button: 1 },
                { type: "mouseup", x: 600, y: 400, button: 1 },
                { type: "mousedown", x: 500, y: 500, button: 0 },
                { type: "mousemove", x: 550, y: 520 },
                { type: "mouseup", x: 600, y: 560, button: 0 },
                { type: "wheel", x: 640, y: 400, shiftKey: true },
              ].map((event) => expect.objectContaining(event) as unknown),
            ),
          );
          expect(tool.alike({}, await tool.inspect({ actions }, context()))).toEqual({ tools: ["computer_use"] });
        }),
      );
    },
    SLOW_MS,
  );

  verifies(
    ["tools:computer-use:result:error", "tools:computer-use:result:error-screenshot"],
    "stops at the first action that fails, counts what was done and shows the screen",
    () =>
      withWorkspace({}, ({ deps, run }) =>
        withScreens({ mode: "browser", browserPath }, async (screens) => {
          const tool = computerUseTool({ ...deps, screens });
          const use = async (...actions: JsonObject[]) =>
            ((await run(tool, { actions })) as { error: Record<string, unknown> }).error;
          const failed = await use({ mouseMove: at(10, 10) }, { click: at(5_000, 10) }, { type: { text: "never" } });
          expect(failed).toMatchObject({
            error: "action 2: coordinate 5000,10 is not on the screenshot, which has 1280x800 pixels",
            actionCount: 1,
          });
          expect(String(failed["log"])).toContain("1. moved to 10,10\naction 2: ");
          expect(readImage(Buffer.from(String(failed["screenshot"]), "base64"))?.width).toBe(1280);
          expect((await use({ key: { key: "NoSuchKey" } }))["error"]).toMatch(/^action 1: .*NoSuchKey/);
          expect((await use({ drag: { path: [{ x: 1, y: 1 }] } }))["error"]).toMatch(/two places/);
          expect((await use({ scroll: {} }))["error"]).toMatch(/direction must be one of/);
          await expect(run(tool, { actions: [] })).rejects.toThrow(/actions/);
        }),
      ),
    SLOW_MS,
  );
});

describe("computer_use", () => {
  it("says how it is turned on, and what is missing", () =>
    withWorkspace({}, async ({ deps, run }) => {
      const actions = [{ screenshot: {} }];
      const none = { xvfb: undefined, xdotool: undefined, ffmpeg: undefined };
      await withScreens({ mode: "off" }, (screens) =>
        expect(run(computerUseTool({ ...deps, screens }), { actions })).rejects.toThrow(
          /QUARRY_COMPUTER_USE=browser or desktop/,
        ),
      );
      await withScreens({ mode: "browser" }, (screens) =>
        expect(run(computerUseTool({ ...deps, screens }), { actions })).rejects.toThrow(/apt-get install chromium/),
      );
      await withScreens({ mode: "desktop", programs: none }, (screens) =>
        expect(run(computerUseTool({ ...deps, screens }), { actions })).rejects.toThrow(
          /apt-get install xvfb xdotool ffmpeg/,
        ),
      );
    }));
});

describeWith([programs.xvfb, programs.xdotool, programs.ffmpeg], "computer_use on a desktop", () => {
  it(
    "reads coordinates in the pixels of the screenshot, whatever the screen's size",
    () =>
      withWorkspace({}, ({ deps, run }) =>
        withScreens({ mode: "desktop", size: { width: 2_000, height: 1_000 } }, async (screens) => {
          const tool = computerUseTool({ ...deps, screens });
          const actions = [{ mouseMove: at(784, 392) }, { click: {} }, { type: { text: "x" } }, { cursorPosition: {} }];
          const { success } = (await run(tool, { actions })) as { success: Record<string, unknown> };
          expect(success["cursorPosition"]).toEqual({ x: 784, y: 392 });
          expect(await (await screens.desk("session")).cursor()).toEqual({ x: 1_000, y: 500 });
          expect(readImage(Buffer.from(String(success["screenshot"]), "base64"))).toEqual({
            mediaType: "image/webp",
            width: 1_568,
            height: 784,
          });
          expect(String(success["log"])).toContain("screenshot 1568x784, of a screen of 2000x1000");
        }),
      ),
    SLOW_MS,
  );
});

function has(logged: readonly unknown[], event: { readonly type: string }): boolean {
  return logged.some((each) => (each as { type: string }).type === event.type);
}

function context() {
  return {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" as const },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
}
