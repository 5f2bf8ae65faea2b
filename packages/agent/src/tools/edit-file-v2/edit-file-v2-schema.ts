import type { JsonObject } from "@bufbuild/protobuf";

/** The arguments of edit_file_v2 for models, by their JSON names. */
export const EDIT_FILE_V2_PROPERTIES: JsonObject = {
  relativeWorkspacePath: {
    type: "string",
    minLength: 1,
    description: "The file, relative to the workspace or absolute",
  },
  contentsAfterEdit: { type: "string", description: "All that the file shall hold" },
  waitingForFileContents: { type: "boolean", description: "Only show what would change; nothing is written" },
  shouldSendBackLinterErrors: { type: "boolean", description: "Answer with the problems that the edit brought" },
  diff: { type: "object", description: "A change by chunks, instead of contents" },
  resultForModel: { type: "string", description: "Answer with this text instead of a summary" },
  streamingContent: { type: "string", description: "What came so far, for a preview" },
  noCodeblock: { type: "boolean", description: "Take text as it is, without looking for a code block in it" },
  cloudAgentEdit: { type: "boolean", description: "A remote agent made the edit" },
  text: {
    type: "object",
    description: "The edit as text with one code block",
    properties: { text: { type: "string" } },
  },
  code: {
    type: "object",
    description: "The edit as code; unchanged parts may be left out as `// ... existing code ...`",
    properties: { code: { type: "string" } },
  },
};
