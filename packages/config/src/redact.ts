/** What stands where a secret was. */
export const HIDDEN = "••••";

/** Below this length the last four characters would give too much of a secret away. */
const MIN_LENGTH_TO_SHOW_END = 16;

/** A secret as people may see it: its last four characters when it is long, nothing else. */
export function hideSecret(secret: string): string {
  return secret.length >= MIN_LENGTH_TO_SHOW_END ? `${HIDDEN}${secret.slice(-4)}` : HIDDEN;
}

/**
 * A text with the credentials of any address in it hidden: passwords, a lone
 * user of an http address (a token, mostly), and query values named like secrets.
 */
export function redactUrls(text: string): string {
  return text
    .replaceAll(/(:\/\/[^\s/?#:@]*):[^\s/?#]*@/g, `$1:${HIDDEN}@`)
    .replaceAll(/(https?:\/\/)[^\s/?#:@]+@/gi, `$1${HIDDEN}@`)
    .replaceAll(/([?&][^=&\s]*(?:password|secret|token|key|signature)=)[^&#\s]*/gi, `$1${HIDDEN}`);
}
