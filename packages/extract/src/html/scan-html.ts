import { readEntity } from "./read-entity.ts";

/** What `scanHtml` tells as it goes; all numbers are places in the source, ends exclusive. */
export interface HtmlEvents {
  readonly text: (start: number, end: number) => void;
  /** A character reference in running text: what it stands for and where it is. */
  readonly entity: (decoded: string, start: number, end: number) => void;
  readonly startTagName: (start: number, end: number) => void;
  readonly attributeName: (start: number, end: number) => void;
  /** The value of the attribute just named, if it has one; `isPlain` tells that it holds no "&". */
  readonly attributeValue: (start: number, end: number, isPlain: boolean) => void;
  /** The end of a start tag. Returns its lower-case name when what follows it is text up to its end tag. */
  readonly startTagEnd: (end: number, selfClosing: boolean) => string | undefined;
  readonly endTag: (nameStart: number, nameEnd: number) => void;
  /** Asked after each piece of markup; false ends the scan. */
  readonly goesOn: () => boolean;
}

const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;

/**
 * Scans HTML, however broken, as the HTML standard tokenizes it: tags, attributes, text, character references;
 * comments and declarations are passed over. A tag that the source ends in is dropped. Time is linear in the source.
 * As XML, CDATA sections are text; in HTML they are comments.
 */
export function scanHtml(html: string, events: HtmlEvents, isXml: boolean): void {
  const { length } = html;
  let at = 0;
  let textStart = 0;
  let selfClosing = false;
  let hasCdata = isXml;
  /** The next "&", looked for only when the last one is passed, so that looking stays linear. */
  let ampersand = -1;
  const nextAmpersand = (from: number): number => {
    if (ampersand < from) {
      const found = html.indexOf("&", from);
      ampersand = found < 0 ? length : found;
    }
    return ampersand;
  };

  const emitText = (start: number, end: number): void => {
    let from = start;
    for (let place = nextAmpersand(from); place < end; place = nextAmpersand(Math.max(from, place + 1))) {
      const found = readEntity(html, place, end);
      if (found === undefined) continue;
      if (place > from) events.text(from, place);
      from = place + found.length;
      events.entity(found.text, place, from);
    }
    if (from < end) events.text(from, end);
  };

  /** Reads attributes from the end of a tag's name; returns one past its ">", or -1 when there is none. */
  const scanAttributes = (nameEnd: number): number => {
    let place = nameEnd;
    selfClosing = false;
    while (place < length) {
      const code = html.charCodeAt(place);
      if (code === GREATER) return place + 1;
      if (code === SLASH || isSpace(code)) {
        // white space between "/" and ">" does not matter
        selfClosing = code === SLASH || selfClosing;
        place += 1;
        continue;
      }
      selfClosing = false;
      const end = endOfAttributeName(html, place);
      events.attributeName(place, end);
      place = skipSpaces(html, end);
      if (html.charCodeAt(place) !== EQUALS) continue;
      place = skipSpaces(html, place + 1);
      const quote = html.charAt(place);
      if (quote === '"' || quote === "'") {
        const close = html.indexOf(quote, place + 1);
        if (close < 0) return -1;
        events.attributeValue(place + 1, close, nextAmpersand(place) >= close);
        place = close + 1;
      } else {
        const close = endOfBareValue(html, place);
        events.attributeValue(place, close, nextAmpersand(place) >= close);
        place = close;
      }
    }
    return -1;
  };

  while (at < length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    const code = html.charCodeAt(open + 1);
    let end: number;
    if (isLetter(code)) {
      if (open > textStart) emitText(textStart, open);
      const nameEnd = endOfTagName(html, open + 1);
      events.startTagName(open + 1, nameEnd);
      end = scanAttributes(nameEnd);
      if (end < 0) return;
      const raw = events.startTagEnd(end, selfClosing);
      if (raw !== undefined) {
        const rawEnd = endOfRawText(html, raw, end);
        if (raw === "title" || raw === "textarea") emitText(end, rawEnd);
        else if (rawEnd > end) events.text(end, rawEnd);
        end = rawEnd;
      }
    } else if (code === SLASH || code === 33 || code === 63) {
      if (open > textStart) emitText(textStart, open);
      if (code === SLASH && isLetter(html.charCodeAt(open + 2))) {
        const nameEnd = endOfTagName(html, open + 2);
        if (nameEnd >= length) return;
        events.endTag(open + 2, nameEnd);
        end = html.indexOf(">", nameEnd) + 1;
      } else {
        const close = hasCdata && html.startsWith("<![CDATA[", open) ? html.indexOf("]]>", open + 9) : undefined;
        if (close !== undefined && close > open + 9) events.text(open + 9, close);
        hasCdata &&= close !== -1; // one that does not end is the last that is looked for
        end = close === undefined || close < 0 ? endOfComment(html, open) : close + 3;
      }
      if (end <= 0) return;
    } else {
      at = open + 1;
      continue;
    }
    at = textStart = end;
    if (!events.goesOn()) return;
  }
  if (textStart < length) emitText(textStart, length);
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13 || code === 12;
}

function skipSpaces(html: string, from: number): number {
  let place = from;
  while (place < html.length && isSpace(html.charCodeAt(place))) place += 1;
  return place;
}

function endOfTagName(html: string, from: number): number {
  let place = from;
  for (; place < html.length; place += 1) {
    const code = html.charCodeAt(place);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return place;
}

/** An attribute's name has at least one character, whatever it is. */
function endOfAttributeName(html: string, from: number): number {
  let place = from + 1;
  for (; place < html.length; place += 1) {
    const code = html.charCodeAt(place);
    if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return place;
}

function endOfBareValue(html: string, from: number): number {
  let place = from;
  for (; place < html.length; place += 1) {
    const code = html.charCodeAt(place);
    if (code === GREATER || isSpace(code)) break;
  }
  return place;
}

/** One past a comment or declaration that begins at `open`; 0 when it does not end. */
function endOfComment(html: string, open: number): number {
  if (!html.startsWith("<!--", open)) return html.indexOf(">", open + 2) + 1;
  if (html.startsWith(">", open + 4)) return open + 5;
  if (html.startsWith("->", open + 4)) return open + 6;
  for (let dashes = html.indexOf("--", open + 4); dashes >= 0; dashes = html.indexOf("--", dashes + 1)) {
    if (html.charCodeAt(dashes + 2) === GREATER) return dashes + 3;
    if (html.startsWith("!>", dashes + 2)) return dashes + 4;
  }
  return 0;
}

/** Where the end tag of an element that holds only text begins; the end of the source when there is none. */
function endOfRawText(html: string, tag: string, from: number): number {
  if (tag === "plaintext") return html.length;
  for (let open = html.indexOf("</", from); open >= 0; open = html.indexOf("</", open + 2)) {
    const nameEnd = open + 2 + tag.length;
    const code = html.charCodeAt(nameEnd);
    if (code !== GREATER && code !== SLASH && !isSpace(code)) continue;
    if (html.slice(open + 2, nameEnd).toLowerCase() === tag) return open;
  }
  return html.length;
}
