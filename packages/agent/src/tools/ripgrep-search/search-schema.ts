import type { JsonObject } from "@bufbuild/protobuf";

const flag: JsonObject = { type: "boolean" };
const text: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer", minimum: 0 };
const texts: JsonObject = { type: "array", items: text };

const pathPattern: JsonObject = { type: "object", properties: { pattern: text, patterns: texts } };

/** The arguments of `ripgrep_search`, by their JSON names. */
export const SEARCH_PROPERTIES: JsonObject = {
  options: {
    type: "object",
    properties: {
      previewOptions: { type: "object", properties: { matchLines: count, charsPerLine: count } },
      fileEncoding: { type: "string", description: "Read files in this encoding" },
      surroundingContext: { type: "integer", minimum: 0, maximum: 100, description: "Lines around a match" },
      isSmartCase: { type: "boolean", description: "Case counts when the pattern has capitals" },
      notebookSearchConfig: {
        type: "object",
        description: "Search these parts of notebooks instead of their text on disk",
        properties: {
          includeMarkupInput: flag,
          includeMarkupPreview: flag,
          includeCodeInput: flag,
          includeOutput: flag,
        },
      },
      excludePattern: {
        type: "object",
        properties: {
          excludePattern: { type: "array", items: { type: "object", properties: { uri: text, pattern: pathPattern } } },
        },
      },
      includePattern: pathPattern,
      expandPatterns: { type: "boolean", description: "Patterns match anywhere, and all below a directory" },
      maxResults: count,
      maxFileSize: { type: "integer", minimum: 0, description: "In bytes" },
      disregardIgnoreFiles: flag,
      disregardGlobalIgnoreFiles: flag,
      disregardParentIgnoreFiles: flag,
      disregardExcludeSettings: flag,
      disregardSearchExcludeSettings: flag,
      ignoreSymlinks: { type: "boolean", description: "Links are followed only when this is false" },
      onlyOpenEditors: { type: "boolean", description: "Accepted; there are no editors here" },
      onlyFileScheme: flag,
      reason: { type: "string", description: "Why, for whoever reads the log" },
      extraFileResources: { type: "object", properties: { extraFileResources: texts } },
    },
  },
  patternInfo: {
    type: "object",
    required: ["pattern"],
    properties: {
      pattern: { type: "string", minLength: 1 },
      isRegExp: { type: "boolean", description: "Else the text as it is" },
      isWordMatch: flag,
      wordSeparators: { type: "string", description: "The characters that bound a word" },
      isMultiline: flag,
      isUnicode: { type: "boolean", description: "Classes and case follow Unicode unless this is false" },
      isCaseSensitive: flag,
      notebookInfo: {
        type: "object",
        properties: {
          isInNotebookMarkdownInput: flag,
          isInNotebookMarkdownPreview: flag,
          isInNotebookCellInput: flag,
          isInNotebookCellOutput: flag,
        },
      },
      patternWasEscaped: { type: "boolean", description: "The pattern is an expression already" },
    },
  },
};
