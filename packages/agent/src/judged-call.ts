import type { JsonObject } from "@bufbuild/protobuf";
import type { CallContext } from "@quarry/store";
import type { CallFacts } from "./call-facts.ts";
import type { Verdict } from "./decide.ts";
import type { RuleMatch } from "./policy-rule.ts";
import type { Tool } from "./tool.ts";

/** What an approval's row says of the question. */
export interface Question {
  readonly reasons: readonly string[];
  readonly risk: CallFacts["risk"];
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly diff: string | null;
  /** What "session" and "always" would allow. */
  readonly alike: RuleMatch;
  /** False when a rule asks on purpose: saving a rule would not help. */
  readonly canSave: boolean;
}

/** A call with all that is known before it is kept. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly facts: CallFacts;
  readonly verdict: Verdict;
  /** What it was judged by. */
  readonly context: CallContext;
}
