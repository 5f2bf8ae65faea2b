export { decodeText } from "./page/charset.ts";
export type { DecodedText, TextKind } from "./page/charset.ts";
export { parseMediaType, readMediaType } from "./page/media-type.ts";
export type { MediaReading, PageFormat } from "./page/media-type.ts";
export { NEAR_DUPLICATE_BITS, simhashKeys, simhashOf } from "./simhash.ts";
export { canonicalUrl, canonicalizeUrl } from "./url/canonical-url.ts";
export type { CanonicalUrl } from "./url/canonical-url.ts";
export { chooseCanonical } from "./url/choose-canonical.ts";
export type { CanonicalChoice, CanonicalClaim } from "./url/choose-canonical.ts";
