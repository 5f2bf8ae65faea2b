import type { JsonObject } from "@bufbuild/protobuf";

/** The arguments of edit_file for models, by their JSON names. */
export const EDIT_FILE_PROPERTIES: JsonObject = {
  relativeWorkspacePath: {
    type: "string",
    minLength: 1,
    description: "The file, relative to the workspace or absolute",
  },
  language: { type: "string", description: "Its language, where the name does not tell" },
  contents: {
    type: "string",
    description:
      "The new contents, with parts left out as `// ... existing code ...`, or a patch in the *** Begin Patch form",
  },
  blocking: { type: "boolean", description: "Answer with the problems that the edit brought" },
  instructions: { type: "string", description: "What the edit is for, in a sentence; the person who is asked sees it" },
  oldString: { type: "string", description: "The text to replace, as it stands in the file; empty makes a new file" },
  newString: { type: "string", description: "What to put in its place" },
  allowMultipleMatches: { type: "boolean", description: "Replace every place where oldString stands" },
  useWhitespaceInsensitiveFallback: {
    type: "boolean",
    description: "Forgive space at the ends of lines and other indentation; yes unless set to false",
  },
  useDidYouMeanFuzzyMatch: {
    type: "boolean",
    description: "Take a text that is very like oldString, where only one is",
  },
  shouldEditFileFailForLargeFiles: { type: "boolean", description: "Refuse files over 1 MB or 10,000 lines" },
  gracefullyHandleRecoverableErrors: {
    type: "boolean",
    description: "Answer with recoverableError instead of failing when oldString is not found or not the only one",
  },
  lineRanges: {
    type: "array",
    description: "Only these lines, from 1, are searched",
    items: {
      type: "object",
      properties: {
        startLineNumber: { type: "integer", minimum: 1 },
        endLineNumberInclusive: { type: "integer", minimum: 1 },
      },
    },
  },
  notebookCellIdx: { type: "integer", minimum: 0, description: "The cell of a notebook, from 0" },
  isNewCell: { type: "boolean", description: "Put a new cell in front of that one" },
  cellLanguage: { type: "string", description: "What the cell holds, such as python or markdown" },
  editCategory: { type: "string", description: "A word for the audit log" },
  shouldEagerlyProcessLints: { type: "boolean", description: "Look for problems at once" },
};
