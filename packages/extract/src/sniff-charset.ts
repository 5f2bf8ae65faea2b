/** HTML asks for 1024 at least; a parser that finds a later meta element would begin anew, so we look further at once. */
const PRESCAN_BYTES = 16 * 1024;
const UTF8_CHECK_BYTES = 64 * 1024;

/**
 * The encoding of an HTML page as HTML's own algorithm finds it: byte order mark, transport (`httpCharset`), the
 * prescan for `<meta>`; then UTF-8 when the bytes are valid UTF-8, else windows-1252. Always a name TextDecoder knows.
 */
export function sniffCharset(bytes: Uint8Array, httpCharset?: string): string {
  return (
    fromMark(bytes) ??
    nameOf(httpCharset ?? "") ??
    prescan(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PRESCAN_BYTES)).toString("latin1")) ??
    (isUtf8(bytes) ? "utf-8" : "windows-1252")
  );
}

/** Decodes a page; what is not valid in its encoding becomes U+FFFD. */
export function decodeHtml(bytes: Uint8Array, httpCharset?: string): string {
  return new TextDecoder(sniffCharset(bytes, httpCharset)).decode(bytes);
}

function fromMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : undefined;
}

function nameOf(label: string): string | undefined {
  const trimmed = label.trim().toLowerCase();
  if (trimmed === "") return undefined;
  if (trimmed === "x-user-defined") return "windows-1252";
  try {
    return new TextDecoder(trimmed).encoding;
  } catch {
    return undefined; // not a label of any encoding
  }
}

/** HTML's prescan: looks for a meta element among tags and comments, without a parser. */
function prescan(text: string): string | undefined {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    if (open < 0) return undefined;
    if (text.startsWith("<!--", open)) {
      const end = text.indexOf("-->", open + 2);
      if (end < 0) return undefined;
      at = end + 3;
    } else if (/^<meta[\s/]/i.test(text.slice(open, open + 6))) {
      const { attributes, end } = readAttributes(text, open + 5);
      const charset = charsetOf(attributes);
      if (charset !== undefined) return charset;
      at = end;
    } else if (/^<\/?[a-z]/i.test(text.slice(open, open + 3))) {
      const name = /^<\/?[^\s/>]*/.exec(text.slice(open))?.[0] ?? "<";
      at = readAttributes(text, open + name.length).end;
    } else if (/^<[!/?]/.test(text.slice(open, open + 2))) {
      const end = text.indexOf(">", open);
      if (end < 0) return undefined;
      at = end + 1;
    } else at = open + 1;
  }
  return undefined;
}

function charsetOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const direct = attributes.get("charset");
  const content = attributes.get("content");
  let label = direct;
  if (label === undefined && content !== undefined && attributes.get("http-equiv")?.toLowerCase() === "content-type") {
    const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content);
    label = match?.[1] ?? match?.[2] ?? match?.[3];
  }
  const name = nameOf(label ?? "");
  // a page that could be prescanned is not UTF-16, whatever it says
  return name?.startsWith("utf-16") === true ? "utf-8" : name;
}

const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/y;

function readAttributes(
  text: string,
  from: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  let at = from;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const name = (match[1] ?? "").toLowerCase();
    if (!attributes.has(name)) attributes.set(name, match[2] ?? match[3] ?? match[4] ?? "");
    at = ATTRIBUTE.lastIndex;
  }
  const close = text.indexOf(">", at);
  return { attributes, end: close < 0 ? text.length : close + 1 };
}

/** Whether bytes are UTF-8, by the first of them; a sequence that this cuts off is forgiven. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    const stream = bytes.length > UTF8_CHECK_BYTES;
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, UTF8_CHECK_BYTES), { stream });
    return true;
  } catch {
    return false; // some byte cannot be UTF-8
  }
}
