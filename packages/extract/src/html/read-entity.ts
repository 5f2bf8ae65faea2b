import { decodeHTML } from "entities";

/** A character reference: what it stands for and how many characters of the source it takes. */
export interface EntityReading {
  readonly text: string;
  readonly length: number;
}

const REFERENCE = /&(?:#(?:x[0-9a-f]+|[0-9]+)|[a-z][a-z0-9]*);?/iy;
/** No name is longer; a number may be, with zeros in front. */
const MAX_CHARS = 40;
const MAX_KNOWN = 2_000;
/** The engine cuts longer strings as views of their source: keeping one would keep the whole page. */
const MAX_KEPT_CHARS = 12;
const known = new Map<string, EntityReading | undefined>();

/** The character reference that begins at the "&" at `place` and ends before `end`; undefined when there is none. */
export function readEntity(html: string, place: number, end: number): EntityReading | undefined {
  REFERENCE.lastIndex = 0;
  const written = REFERENCE.exec(html.slice(place, Math.min(end, place + MAX_CHARS)))?.[0];
  if (written === undefined) return undefined;
  if (known.has(written)) return known.get(written);
  const decoded = decodeHTML(written);
  let reading: EntityReading | undefined;
  if (decoded !== written) {
    // old names need no semicolon: "&copy2024" is "©2024", and only the part that was read is the reference
    let rest = 0;
    while (
      rest < decoded.length - 1 &&
      rest < written.length - 2 &&
      decoded.charAt(decoded.length - 1 - rest) === written.charAt(written.length - 1 - rest)
    )
      rest += 1;
    reading = { text: decoded.slice(0, decoded.length - rest), length: written.length - rest };
  }
  if (known.size < MAX_KNOWN && written.length <= MAX_KEPT_CHARS) known.set(written, reading);
  return reading;
}
