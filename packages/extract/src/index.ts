export { EXTRACTOR_VERSION } from "./extracted-document.ts";
export type { DocumentCode, DocumentHeading, ExtractedDocument } from "./extracted-document.ts";
export { extractHtml } from "./html/extract-html.ts";
export type { HtmlInput } from "./html/extract-html.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export type { ExtractLimits } from "./limits.ts";
export { sourceRangeOf } from "./offset-map.ts";
export type { OffsetMap, TextRange } from "./offset-map.ts";
