import { landmarkDistance, FAR } from "../html/container.ts";
import type { TextBlock } from "../html/text-block.ts";
import { squeeze } from "./strip-site-name.ts";

const LINES_BELOW = 8;
const LINES_ABOVE = 3;
const MAX_LINE_CHARS = 120;
const HEADING = /^h[1-4]$/;

/** The short lines around the title, nearest below first: where a page tells its readers who wrote it, and when. */
export function readCreditLines(blocks: readonly TextBlock[], title: string | undefined): readonly string[] {
  const place = placeOfTitle(blocks, title);
  if (place < 0) return [];
  const around = [
    ...blocks.slice(place + 1, place + 1 + LINES_BELOW),
    ...blocks.slice(Math.max(0, place - LINES_ABOVE), place).reverse(),
  ];
  return around
    .filter(
      ({ container, text }) =>
        text.length <= MAX_LINE_CHARS && !ASIDE.some((name) => landmarkDistance(container, name) < FAR),
    )
    .map(({ text }) => text);
}

const ASIDE = ["nav", "aside", "footer", "button"] as const;

/** The heading that says the title, else the first main heading; -1 when the page has neither. */
function placeOfTitle(blocks: readonly TextBlock[], title: string | undefined): number {
  const wanted = squeeze(title ?? "");
  const said = blocks.findIndex(
    ({ container, text }) =>
      wanted !== "" &&
      HEADING.test(container.element.tag) &&
      Math.abs(text.length - (title ?? "").length) < 40 &&
      squeeze(text).startsWith(wanted),
  );
  return said >= 0 ? said : blocks.findIndex(({ container }) => container.element.tag === "h1");
}
