import { parseWebDate } from "../web-date.ts";

/** What a server gave us to ask with whether a page has changed; kept with the page. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

const MAX_VALIDATOR_LENGTH = 512;

/** The headers that ask for a page only if it is another than the one we have. */
export function conditionalHeaders(validators: Validators): Readonly<Record<string, string>> {
  return {
    ...(validators.etag === undefined ? {} : { "if-none-match": validators.etag }),
    ...(validators.lastModified === undefined ? {} : { "if-modified-since": validators.lastModified }),
  };
}

/** Reads validators from a reply's headers (lower-case names); what is malformed is left out, as it could not be sent back. */
export function readValidators(headers: Readonly<Record<string, string | undefined>>): Validators {
  const etag = headers["etag"]?.trim() ?? "";
  const lastModified = headers["last-modified"]?.trim() ?? "";
  return {
    ...(isEtag(etag) ? { etag } : {}),
    ...(lastModified.length <= MAX_VALIDATOR_LENGTH && parseWebDate(lastModified) !== undefined
      ? { lastModified }
      : {}),
  };
}

/** Quoted, weak or strong; bare ones are common and come back as they went, so they serve as well. */
function isEtag(text: string): boolean {
  return text.length <= MAX_VALIDATOR_LENGTH && /^(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"|[\w+/=.:-]+)$/.test(text);
}
