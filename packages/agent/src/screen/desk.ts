/** A place on a screen, in its own pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A picture of the screen. */
export interface Shot {
  readonly webp: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The buttons of a mouse. */
export type Button = "left" | "right" | "middle" | "back" | "forward";

/** A screen with a mouse and a keyboard: a browser's page, or a desktop. Keys have the names that xdotool uses. */
export interface Desk {
  readonly width: number;
  readonly height: number;
  readonly move: (to: Point) => Promise<void>;
  readonly press: (button: Button) => Promise<void>;
  readonly release: (button: Button) => Promise<void>;
  /** Clicks where the pointer is. */
  readonly click: (button: Button, count: number) => Promise<void>;
  /** Turns the wheel by notches; to the right and down where positive. */
  readonly scroll: (notches: Point) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly keyDown: (keys: readonly string[]) => Promise<void>;
  readonly keyUp: (keys: readonly string[]) => Promise<void>;
  readonly cursor: () => Promise<Point>;
  /** The screen, made smaller by `scale`. */
  readonly shoot: (scale: number) => Promise<Shot>;
  /** Whether it is still there: a browser may crash. */
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
}

/** The longest side of a screenshot; a larger screen is shown smaller, and coordinates are read in its pixels. */
const MAX_SHOT_SIDE = 1_568;

/** How much smaller than the screen its screenshots are. */
export function shotScale(desk: Pick<Desk, "width" | "height">): number {
  return Math.min(1, MAX_SHOT_SIDE / Math.max(desk.width, desk.height));
}
