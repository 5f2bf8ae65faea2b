import type * as lancedb from "@lancedb/lancedb";
import { createRequire } from "node:module";

// The engine writes remarks of its own to stderr (a table that is not there yet is worth a warning to it), and its
// level can be set in no other way than this, before it is loaded. Whoever wants to read along sets the variable.
// eslint-disable-next-line no-restricted-syntax -- the engine's own variable, not a setting of ours
process.env["LANCEDB_LOG"] ??= "off";

/** LanceDB, loaded after its log was quieted: an `import` would come first. */
export const { BooleanQuery, connect, Index, MatchQuery, Occur, Operator, PhraseQuery, Session } = createRequire(
  import.meta.url,
)("@lancedb/lancedb") as typeof lancedb;
