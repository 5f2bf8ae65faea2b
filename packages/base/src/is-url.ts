/**
 * Whether a text is a URL, for itself or from a base. Not `URL.canParse`: in Node 20 that says no to hosts with letters
 * such as ü as soon as the code that asks has run often enough to be compiled, and yes to hosts that the constructor refuses.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false; // the constructor says no by throwing
  }
}
