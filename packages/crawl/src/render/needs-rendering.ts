/** Words that a page must show by itself to be read as it came. */
const ENOUGH_WORDS = 80;
/** An empty place for an application makes a page with a little more text than that suspicious, too. */
const ENOUGH_WORDS_BESIDE_ROOT = 200;
/** Inline code shorter than this starts no application. */
const LONG_INLINE_SCRIPT = 400;
/** How much of a page is looked at: one that is longer has text, or is not worth a browser. */
const MAX_CHARACTERS = 2_000_000;

/** Elements whose text is not shown. */
const HIDDEN = new Set(["script", "style", "template", "noscript", "svg", "head", "title", "textarea", "iframe"]);
const CODE_TYPES = /^(?:|module|text\/javascript|application\/javascript|text\/babel|text\/ecmascript)$/i;
/** The places that frameworks fill. */
const APP_ROOT =
  /<(?:div|main|section)\b[^<>]{0,300}?\bid\s{0,9}=\s{0,9}["']?(?:root|app|__next|__nuxt|___gatsby|svelte|react-root|main-app|application)\b[^<>]{0,300}>\s{0,200}<\/|<(?:app-root|ion-app|polymer-app)\b/i;
const ASKS_FOR_SCRIPTS = /<noscript\b[^>]{0,200}>[^<]{0,1000}(?:<[^>]{0,200}>[^<]{0,1000}){0,5}javascript/i;

/**
 * Whether a page is likely to show its content only after its scripts have run: it has little text of its own, and
 * code that could bring more. Decided in one pass, whatever the page is.
 */
export function needsRendering(html: string): boolean {
  const page = html.length > MAX_CHARACTERS ? html.slice(0, MAX_CHARACTERS) : html;
  const { words, hasCode } = survey(page);
  if (!hasCode) return false;
  if (words < ENOUGH_WORDS) return true;
  return words < ENOUGH_WORDS_BESIDE_ROOT && (APP_ROOT.test(page) || ASKS_FOR_SCRIPTS.test(page));
}

/** Counts the words that are shown, up to enough of them, and looks for scripts that are programs. */
function survey(html: string): { readonly words: number; readonly hasCode: boolean } {
  let words = 0;
  let hasCode = false;
  for (let at = 0; at < html.length && words < ENOUGH_WORDS_BESIDE_ROOT;) {
    const open = html.indexOf("<", at);
    const end = open < 0 ? html.length : open;
    words += html.slice(at, end).match(/[\p{L}\p{N}]{2,}/gu)?.length ?? 0;
    if (open < 0) break;
    if (html.startsWith("<!--", open)) {
      const close = html.indexOf("-->", open + 4);
      at = close < 0 ? html.length : close + 3;
      continue;
    }
    const tagEnd = html.indexOf(">", open);
    if (tagEnd < 0) break;
    at = tagEnd + 1;
    const tag = html.slice(open + 1, Math.min(tagEnd, open + 2_000));
    const name = /^[a-z][a-z0-9-]*/i.exec(tag)?.[0].toLowerCase() ?? "";
    if (!HIDDEN.has(name) || tag.endsWith("/")) continue;
    // A head holds the scripts and closes by itself; the others are passed over whole.
    if (name === "head") continue;
    const close = indexOfClosing(html, name, at);
    if (name === "script" && isProgram(tag, close - at)) hasCode = true;
    at = close;
  }
  return { words, hasCode };
}

function indexOfClosing(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s>/])`, "gi");
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

function isProgram(tag: string, length: number): boolean {
  const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(tag)?.[1] ?? "";
  if (!CODE_TYPES.test(type)) return false;
  return /\bsrc\s*=/i.test(tag) || length >= LONG_INLINE_SCRIPT || type === "module";
}
