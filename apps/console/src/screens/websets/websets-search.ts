import { SHOWN, type Shown } from "./arrange-items.ts";

/** The address of one webset: the cell that is open, the page that it quotes, and how the grid is arranged. */
export interface WebsetAddress {
  readonly item?: string | undefined;
  readonly column?: string | undefined;
  readonly url?: string | undefined;
  readonly words?: string | undefined;
  readonly show?: Shown | undefined;
  readonly sort?: string | undefined;
  readonly desc?: true | undefined;
  readonly group?: string | undefined;
  /** The part of the screen; its items when absent. */
  readonly tab?: "events" | undefined;
  /** Whether the open cell is being put right. */
  readonly edit?: true | undefined;
  /** The column whose runs are being chosen. */
  readonly run?: string | undefined;
}

/** Reads such an address. */
export function readWebsetAddress(raw: Readonly<Record<string, unknown>>): WebsetAddress {
  const text = (name: string): object => {
    const value = raw[name];
    return (typeof value === "string" || typeof value === "number") && value !== "" ? { [name]: String(value) } : {};
  };
  const flag = (name: string): object => (raw[name] === true || raw[name] === "true" ? { [name]: true } : {});
  const show = SHOWN.find((one) => one === raw["show"] && one !== "all");
  return {
    ...text("item"),
    ...text("column"),
    ...text("url"),
    ...text("words"),
    ...text("sort"),
    ...text("group"),
    ...text("run"),
    ...flag("desc"),
    ...flag("edit"),
    ...(show === undefined ? {} : { show }),
    ...(raw["tab"] === "events" ? { tab: "events" as const } : {}),
  };
}
