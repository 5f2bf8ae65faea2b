import type { ReactNode } from "react";

/** Drawn for this console on a grid of 16: one path each, stroked in the colour of the text. */
const PATHS = {
  ask: "M7 12.2A5.2 5.2 0 1 0 7 1.8a5.2 5.2 0 0 0 0 10.4zM10.8 10.8 14.2 14.2",
  play: "M2.2 4.2 5.6 8l-3.4 3.8M7.6 12h6.2",
  crawl:
    "M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM1.9 8h12.2M8 1.8c2.4 2 2.4 10.4 0 12.4M8 1.8c-2.4 2-2.4 10.4 0 12.4",
  index: "M2 4.2 8 1.6l6 2.6-6 2.6zM2 8l6 2.6L14 8M2 11.8l6 2.6 6-2.6",
  keys: "M5.2 14a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM7.5 8.5 13.6 2.4M11.2 4.8l2 2",
  usage: "M2 14.2h12M4 11.4V7.2M8 11.4V2.6M12 11.4V5.4",
  health: "M1.6 8.4h3l1.8-4.8 3 8.8 1.9-4h3.1",
  settings:
    "M2 4.6h7.2M12.4 4.6H14M2 11.4h1.6M6.8 11.4H14M10.8 6.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM5.2 13a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
  research: "M3 2.2h7.4v11.6H3zM5.2 5.2h3M5.2 7.8h3M12.4 4.4l1.8 1v8.4H12",
  approvals: "M8 1.8 13.4 4v4c0 3-2.2 5.2-5.4 6.2C4.8 13.2 2.6 11 2.6 8V4zM5.6 8l1.8 1.8 3-3.4",
  grid: "M2 2.6h12v10.8H2zM2 6.2h12M2 9.8h12M6.2 2.6v10.8",
  hook: "M6.4 9.6 4.2 13M9.6 6.4 8 3.2M9 11.4h4M4.2 14.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM8 4.8a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM12.6 13a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
  close: "m4 4 8 8M12 4l-8 8",
  menu: "M2 4.5h12M2 8h12M2 11.5h12",
  filter: "M2 3.2h12M4.4 8h7.2M6.8 12.8h2.4",
  copy: "M5.6 5.6h7.6v7.6H5.6zM10.4 5.4V2.8H2.8v7.6h2.6",
  warn: "M8 2 14.6 13.6H1.4zM8 6.4v3.4M8 11.6v.2",
  good: "m3 8.6 3.2 3.2L13 4.6",
  page: "M3.6 1.8h5.6l3.2 3.2v9.2H3.6zM9 2v3.2h3.2",
  similar: "M5.6 9.8a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10.4 14.2a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  why: "M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM6.2 6.2c.2-2.4 3.8-2.2 3.6 0-.1 1.3-1.8 1.4-1.8 2.8M8 11.2v.2",
  theme: "M8 14.2A6.2 6.2 0 1 0 8 1.8zM8 14.2A6.2 6.2 0 0 1 8 1.8z",
  pause: "M5.4 3v10M10.6 3v10",
  stop: "M3.6 3.6h8.8v8.8H3.6z",
  plus: "M8 3v10M3 8h10",
  out: "M9.4 2.4h4.2v4.2M13.4 2.6 7.6 8.4M11.6 9.4v4.2H2.4V4.4h4.2",
  upload: "M8 10.6V2.4M4.8 5.4 8 2.2l3.2 3.2M2.4 10.4v3.2h11.2v-3.2",
  up: "M8 13V3.4M4 7.2l4-4 4 4",
  down: "M8 3v9.6M4 8.8l4 4 4-4",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2.2v3h-3",
  start: "M3 13.4c5.8-.2 9.8-3.8 10.4-10.8C6.4 3 3 6.6 3 13.4zM3 13.4l5.4-5.8",
} as const;

/** The name of a drawing. */
export type IconName = keyof typeof PATHS;

/** A small drawing beside words, which say what it means: it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
