import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AppError, sleep } from "@quarry/base";
import { shotScale, type Button, type Desk, type Point, type Shot } from "./desk.ts";

/** The longest a wait or a held key may take. */
export const MAX_WAIT_MS = 60_000;
const MAX_CLICKS = 3;
const MAX_NOTCHES = 100;
const MAX_TEXT = 10_000;

/** What became of the actions: how many were done, and why not all. */
export interface ActionsOutcome {
  readonly count: number;
  readonly log: readonly string[];
  readonly shot: Shot | undefined;
  /** In the pixels of a screenshot, when it was asked for. */
  readonly cursor: Point | undefined;
  readonly failure: string | undefined;
}

/**
 * Does the actions in order and stops at the first that fails; then, or after the last, the screen is shot. Coordinates
 * are those of a screenshot, whatever the screen's own size. Rejects only when `signal` aborts.
 */
export async function runActions(
  desk: Desk,
  actions: readonly JsonObject[],
  signal: AbortSignal,
): Promise<ActionsOutcome> {
  const scale = shotScale(desk);
  const log: string[] = [];
  let count = 0;
  let cursor: Point | undefined;
  let failure: string | undefined;
  for (const action of actions) {
    signal.throwIfAborted();
    try {
      const done = await act({ desk, scale, signal }, action);
      log.push(`${count + 1}. ${done.said}`);
      cursor = done.cursor ?? cursor;
      count += 1;
    } catch (error) {
      signal.throwIfAborted();
      failure = `action ${count + 1}: ${error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error)}`;
      log.push(failure);
      break;
    }
  }
  const shot = await desk.shoot(scale).catch((error: unknown) => {
    failure ??= `the screen could not be shot: ${AppError.from(error).message}`;
    return undefined;
  });
  if (shot !== undefined) {
    const sized = scale === 1 ? "" : `, of a screen of ${desk.width}x${desk.height}`;
    log.push(`screenshot ${shot.width}x${shot.height}${sized}; coordinates are its pixels`);
  }
  return { count, log, shot, cursor, failure };
}

interface At {
  readonly desk: Desk;
  readonly scale: number;
  readonly signal: AbortSignal;
}
interface Done {
  readonly said: string;
  readonly cursor?: Point;
}

async function act(at: At, action: JsonObject): Promise<Done> {
  const [[kind, value] = ["", {}]] = Object.entries(action);
  const given = isObject(value) ? value : {};
  const { desk } = at;
  switch (kind) {
    case "mouseMove":
      return { said: `moved to ${await moveTo(at, given["coordinate"])}` };
    case "click":
      return click(at, given);
    case "mouseDown":
      await desk.press(buttonOf(given));
      return { said: `pressed the ${buttonOf(given)} button` };
    case "mouseUp":
      await desk.release(buttonOf(given));
      return { said: `released the ${buttonOf(given)} button` };
    case "drag":
      return drag(at, given);
    case "scroll":
      return scroll(at, given);
    case "type": {
      const text = textOf(given, "text");
      if (text.length > MAX_TEXT)
        throw wrong(`text has ${text.length} characters; at most ${MAX_TEXT} are typed at once`);
      await desk.type(text);
      return { said: `typed ${text.length} characters` };
    }
    case "key":
      return pressKey(at, given);
    case "wait": {
      const asked = numberOf(given, "durationMs");
      const ms = Math.max(0, Math.min(asked, MAX_WAIT_MS));
      await sleep(ms, at.signal);
      return { said: `waited ${ms} ms${asked > MAX_WAIT_MS ? ", the most there is" : ""}` };
    }
    case "screenshot":
      return { said: "took a screenshot" };
    case "cursorPosition": {
      const { x, y } = await desk.cursor();
      const cursor = { x: Math.round(x * at.scale), y: Math.round(y * at.scale) };
      return { said: `the pointer is at ${cursor.x},${cursor.y}`, cursor };
    }
    default:
      throw wrong("it says nothing to do");
  }
}

async function click(at: At, given: JsonObject): Promise<Done> {
  const button = buttonOf(given);
  const count = numberOf(given, "count") || 1;
  if (count < 1 || count > MAX_CLICKS) throw wrong(`count must be from 1 to ${MAX_CLICKS}`);
  const where = given["coordinate"] === undefined ? "" : ` at ${await moveTo(at, given["coordinate"])}`;
  const modifiers = keysOf(textOf(given, "modifierKeys"));
  await holding(at, modifiers, () => at.desk.click(button, count));
  const held = modifiers.length === 0 ? "" : ` with ${modifiers.join("+")}`;
  return { said: `clicked ${button}${count === 1 ? "" : ` ${count} times`}${where}${held}` };
}

async function drag(at: At, given: JsonObject): Promise<Done> {
  const path = Array.isArray(given["path"]) ? given["path"] : [];
  const [start, ...rest] = path;
  if (start === undefined || rest.length === 0) throw wrong("path needs two places or more");
  const button = buttonOf(given);
  await moveTo(at, start);
  await at.desk.press(button);
  try {
    for (const place of rest) await moveTo(at, place);
  } finally {
    await at.desk.release(button);
  }
  return { said: `dragged along ${path.length} places` };
}

const DIRECTIONS: Readonly<Record<string, Point>> = {
  SCROLL_DIRECTION_UP: { x: 0, y: -1 },
  SCROLL_DIRECTION_DOWN: { x: 0, y: 1 },
  SCROLL_DIRECTION_LEFT: { x: -1, y: 0 },
  SCROLL_DIRECTION_RIGHT: { x: 1, y: 0 },
};

async function scroll(at: At, given: JsonObject): Promise<Done> {
  const name = textOf(given, "direction");
  const direction = DIRECTIONS[name];
  if (direction === undefined) throw wrong(`direction must be one of ${Object.keys(DIRECTIONS).join(", ")}`);
  const amount = numberOf(given, "amount") || 1;
  if (amount < 1 || amount > MAX_NOTCHES) throw wrong(`amount must be from 1 to ${MAX_NOTCHES}`);
  if (given["coordinate"] !== undefined) await moveTo(at, given["coordinate"]);
  const notches = { x: direction.x * amount, y: direction.y * amount };
  await holding(at, keysOf(textOf(given, "modifierKeys")), () => at.desk.scroll(notches));
  return { said: `scrolled ${name.replace("SCROLL_DIRECTION_", "").toLowerCase()} by ${amount}` };
}

async function pressKey(at: At, given: JsonObject): Promise<Done> {
  const keys = keysOf(textOf(given, "key"));
  if (keys.length === 0) throw wrong("key is missing; name one such as Return or ctrl+c");
  const holdMs = Math.max(0, Math.min(numberOf(given, "holdDurationMs"), MAX_WAIT_MS));
  await holding(at, keys, () => sleep(holdMs, at.signal));
  return { said: `pressed ${keys.join("+")}${holdMs === 0 ? "" : ` for ${holdMs} ms`}` };
}

/** Does something while keys are down; they are let go whatever happens. */
async function holding(at: At, keys: readonly string[], work: () => Promise<void>): Promise<void> {
  if (keys.length === 0) return work();
  await at.desk.keyDown(keys);
  try {
    await work();
  } finally {
    await at.desk.keyUp(keys.toReversed());
  }
}

/** Moves the pointer; refuses a place that no screenshot shows. */
async function moveTo({ desk, scale }: At, value: JsonValue | undefined): Promise<string> {
  const given = isObject(value) ? value : {};
  const [x, y] = [numberOf(given, "x"), numberOf(given, "y")];
  const [width, height] = [Math.round(desk.width * scale), Math.round(desk.height * scale)];
  if (value === undefined || x < 0 || y < 0 || x >= width || y >= height) {
    throw wrong(`coordinate ${x},${y} is not on the screenshot, which has ${width}x${height} pixels`);
  }
  await desk.move({ x: Math.round(x / scale), y: Math.round(y / scale) });
  return `${x},${y}`;
}

const BUTTONS: Readonly<Record<string, Button>> = {
  MOUSE_BUTTON_LEFT: "left",
  MOUSE_BUTTON_RIGHT: "right",
  MOUSE_BUTTON_MIDDLE: "middle",
  MOUSE_BUTTON_BACK: "back",
  MOUSE_BUTTON_FORWARD: "forward",
};

function buttonOf(given: JsonObject): Button {
  return BUTTONS[textOf(given, "button")] ?? "left";
}

/** `ctrl+shift` as keys; a plus sign alone is itself. */
function keysOf(text: string): readonly string[] {
  return text === "+" ? ["plus"] : text.split("+").filter((key) => key !== "");
}

function wrong(message: string): AppError {
  return new AppError("invalid_request", message);
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

function numberOf(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" ? value : 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
