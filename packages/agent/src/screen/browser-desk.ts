import type { CDPSession, Page } from "playwright-core";
import { AppError } from "@quarry/base";
import type { Chromium } from "./chromium.ts";
import type { Button, Desk, Point } from "./desk.ts";

/** A proxy that a page goes through. */
export interface PageProxy {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** The size of a page. */
const WIDTH = 1_280;
const HEIGHT = 800;
/** How far a notch of a wheel goes. */
const NOTCH_PIXELS = 100;
const QUALITY = 80;
const NAVIGATION_MS = 30_000;

/** Where a page begins, since a page without a frame has no address bar: an address and Enter lead on, ctrl+l back here. */
const START_PAGE = `<!doctype html><title>Start</title><body style="font:20px sans-serif;margin:40px">
<form onsubmit="quarryOpen(address.value);return false"><label for="address">Type an address and press Enter:</label><br>
<input id="address" autofocus style="font:inherit;width:900px;margin-top:12px"></form></body>`;

/** A page of a headless browser as a screen. What it opens goes through `proxy`; without one it reaches nothing. */
export async function openBrowserDesk(chromium: Chromium, proxy: PageProxy | undefined): Promise<Desk> {
  const { browser, giveBack } = await chromium.take();
  try {
    const context = await browser.newContext({
      viewport: { width: WIDTH, height: HEIGHT },
      acceptDownloads: false,
      ...(proxy === undefined
        ? { offline: true }
        : { proxy: { server: proxy.url, username: proxy.username, password: proxy.password, bypass: "<-loopback>" } }),
    });
    const page = await context.newPage();
    const showStart = () => page.setContent(START_PAGE);
    await page.exposeFunction("quarryOpen", (address: string) => {
      const url = /^[a-z]+:/i.test(address) ? address : `http://${address}`;
      // What becomes of it is on the screen.
      void page.goto(url, { timeout: NAVIGATION_MS }).catch(() => undefined);
    });
    await showStart();
    const close = async (): Promise<void> => {
      await context.close().catch(() => undefined); // the browser may be gone
      giveBack();
    };
    return toDesk(page, await context.newCDPSession(page), { showStart, close });
  } catch (error) {
    giveBack();
    throw error;
  }
}

function toDesk(
  page: Page,
  devTools: CDPSession,
  rest: { readonly showStart: () => Promise<void>; readonly close: () => Promise<void> },
): Desk {
  let at: Point = { x: 0, y: 0 };
  let isShortcut = false;
  return {
    width: WIDTH,
    height: HEIGHT,
    move: async (to) => {
      await page.mouse.move(to.x, to.y);
      at = to;
    },
    press: (button) => page.mouse.down({ button: mouseButton(button) }),
    release: (button) => page.mouse.up({ button: mouseButton(button) }),
    click: async (button, clickCount) => {
      if (button === "back") await page.goBack({ timeout: NAVIGATION_MS });
      else if (button === "forward") await page.goForward({ timeout: NAVIGATION_MS });
      else await page.mouse.click(at.x, at.y, { button: mouseButton(button), clickCount });
    },
    scroll: (notches) => page.mouse.wheel(notches.x * NOTCH_PIXELS, notches.y * NOTCH_PIXELS),
    type: (text) => page.keyboard.type(text),
    keyDown: async (keys) => {
      const named = keysFor(keys);
      isShortcut = named.length === 2 && named[0] === "Control" && named[1]?.toLowerCase() === "l";
      if (isShortcut) await rest.showStart();
      else for (const key of named) await page.keyboard.down(key);
    },
    keyUp: async (keys) => {
      if (!isShortcut) for (const key of keysFor(keys)) await page.keyboard.up(key);
    },
    cursor: () => Promise.resolve(at),
    shoot: async (scale) => {
      const clip = { x: 0, y: 0, width: WIDTH, height: HEIGHT, scale };
      const { data } = await devTools.send("Page.captureScreenshot", { format: "webp", quality: QUALITY, clip });
      return {
        webp: Buffer.from(data, "base64"),
        width: Math.round(WIDTH * scale),
        height: Math.round(HEIGHT * scale),
      };
    },
    isOpen: () => !page.isClosed() && page.context().browser()?.isConnected() === true,
    close: rest.close,
  };
}

function mouseButton(button: Button): "left" | "right" | "middle" {
  if (button !== "back" && button !== "forward") return button;
  throw new AppError("invalid_request", `the ${button} button can be clicked in a browser, not held`);
}

const KEYS: Readonly<Record<string, string>> = {
  alt: "Alt",
  backspace: "Backspace",
  cmd: "Meta",
  control: "Control",
  ctrl: "Control",
  delete: "Delete",
  down: "ArrowDown",
  end: "End",
  enter: "Enter",
  esc: "Escape",
  escape: "Escape",
  home: "Home",
  insert: "Insert",
  left: "ArrowLeft",
  meta: "Meta",
  minus: "-",
  next: "PageDown",
  page_down: "PageDown",
  page_up: "PageUp",
  plus: "+",
  prior: "PageUp",
  return: "Enter",
  right: "ArrowRight",
  shift: "Shift",
  space: " ",
  super: "Meta",
  tab: "Tab",
  up: "ArrowUp",
};

/** Keys by the browser's names for them; a letter with Shift is the large one. */
function keysFor(names: readonly string[]): readonly string[] {
  const keys = names.map((name) => KEYS[name.toLowerCase()] ?? name);
  return keys.includes("Shift") ? keys.map((key) => (key.length === 1 ? key.toUpperCase() : key)) : keys;
}
