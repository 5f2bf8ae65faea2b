import { parse } from "tldts";
import type { FoundValue } from "./found-value.ts";

const PLAIN =
  /(?<![\p{L}\p{N}.!#$%&'*+/=?^_`{|}~@-])[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?![\p{L}\p{N}_@-]|\.[\p{L}\p{N}])/giu;
/** The same behind a letter of another script, which belongs to the sentence. */
const BEHIND_SCRIPT =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[a-z0-9][a-z0-9._+-]*@(?:[a-z0-9-]+\.)+[a-z]{2,24}(?![a-z0-9_@-])/giu;
const AT = String.raw`\s{0,9}(?:\[\s?at\s?\]|\(\s?at\s?\)|\{\s?at\s?\}|<\s?at\s?>|(?<=\s)at\s|\[@\]|\(@\)|＠|(?<=\s)@\s)\s{0,9}`;
const DOT = String.raw`\s{0,9}(?:\[\s?dot\s?\]|\(\s?dot\s?\)|\{\s?dot\s?\}|(?<=\s)dot\s|\[\.\]|\(\.\)|\.)\s{0,9}`;
const HIDDEN = new RegExp(
  String.raw`(?<![\p{L}\p{N}@._-])([a-z0-9._+-]{1,64})${AT}([a-z0-9-]{1,63}(?:${DOT}[a-z0-9-]{1,63}){0,4}${DOT}[a-z]{2,24})(?![\p{L}\p{N}@])`,
  "giu",
);
const MAX_EMAILS = 200;

/** The email addresses of a text, lower case; also those that hide from programs: "jane [at] acme [dot] com". */
export function readEmails(text: string): readonly FoundValue[] {
  const found: FoundValue[] = [];
  const add = (value: string, start: number, length: number): void => {
    if (found.length >= MAX_EMAILS || found.some((one) => start < one.end && start + length > one.start)) return;
    const email = value.toLowerCase();
    if (isEmail(email)) found.push({ value: email, start, end: start + length });
  };
  for (const match of text.matchAll(PLAIN)) add(match[0], match.index, match[0].length);
  for (const match of text.matchAll(BEHIND_SCRIPT)) add(match[0], match.index, match[0].length);
  for (const match of text.matchAll(HIDDEN)) {
    const [whole, local = "", host = ""] = match;
    // "look at acme.com" is no address: the word before " at " must look hidden, or the dot must
    if (/\sat\s/i.test(whole) && !/[[({]|\sdot\s/i.test(whole)) continue;
    const plain = host.replaceAll(new RegExp(DOT, "giu"), ".");
    add(`${local}@${plain}`, match.index, whole.length);
  }
  return found.sort((one, other) => one.start - other.start);
}

function isEmail(email: string): boolean {
  const [local = "", host = ""] = email.split("@");
  if (local.length > 64 || local.includes("..") || local.startsWith(".") || local.endsWith(".")) return false;
  const { isIp, domain, publicSuffix } = parse(host);
  return (
    isIp !== true && domain !== null && publicSuffix !== null && !/\.(?:png|jpe?g|gif|webp|svg|css|js)$/.test(host)
  );
}
