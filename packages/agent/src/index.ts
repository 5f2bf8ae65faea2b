export { answerApproval } from "./answer-approval.ts";
export type { GivenAnswer } from "./answer-approval.ts";
export type { CallChange, CallChanges } from "./call-changes.ts";
export type { CallFacts, ToolTier } from "./call-facts.ts";
export { rankTexts } from "./code/rank-texts.ts";
export type { CodeToolsOptions } from "./code/code-tools.ts";
export { decide, DEFAULT_RULES } from "./decide.ts";
export type { Verdict } from "./decide.ts";
export { applyHunks } from "./edits/apply-hunks.ts";
export { diffTexts, toUnifiedDiff } from "./edits/file-diff.ts";
export { applyLazyEdit } from "./edits/lazy-edit.ts";
export { looksPartial } from "./edits/partial-contents.ts";
export { replaceText } from "./edits/replace-text.ts";
export { explainCall } from "./explain-call.ts";
export type { Explanation } from "./explain-call.ts";
export { hashArgs } from "./hash-args.ts";
export type { Question } from "./judged-call.ts";
export type { LiveCall } from "./live-call.ts";
export { Machines } from "./machines.ts";
export type { Execution, ExecutionReport, MachineLine } from "./machines.ts";
export type { PolicyFile } from "./policy-files.ts";
export type { Decision, PolicyRule, RuleMatch } from "./policy-rule.ts";
export { decisionOfOption, reviewOptions } from "./review.ts";
export type { CallEvent, CallRequest, EndedCall, ToolCaller } from "./spine.ts";
export {
  choicesOf,
  toAgentCall,
  toApprovalMessage,
  toClientResult,
  toInteractionQuery,
  toResultJson,
  toWaitingResult,
  waitingError,
} from "./to-messages.ts";
export type { Echo } from "./to-messages.ts";
export { toolError } from "./tool-error.ts";
export type { ToolError } from "./tool-error.ts";
export { createToolRegistry } from "./tool-registry.ts";
export type { ToolRegistry } from "./tool-registry.ts";
export { createSessionShells } from "./terminal/session-shells.ts";
export type { BackgroundShell, SessionShells } from "./terminal/session-shells.ts";
export { ToolRuntime } from "./tool-runtime.ts";
export type { ToolRuntimeOptions } from "./tool-runtime.ts";
export type { CallOutcome, Review, Tool, ToolContext, ToolEnd, ToolOutput } from "./tool.ts";
export { waitForEnd } from "./wait-for-end.ts";
export type { UnaryEnd } from "./wait-for-end.ts";
export type { SubagentModel } from "./subagents/model-runner.ts";
export type { SubagentRunner, SubagentWork } from "./subagents/subagent-runner.ts";
export { AgentState } from "./tools/agent-state.ts";
export type { AgentStateOptions } from "./tools/agent-state.ts";
export { createMcpClients } from "./mcp-client/mcp-clients.ts";
export type { McpClients } from "./mcp-client/mcp-clients.ts";
export type { McpServer } from "./mcp-client/mcp-config.ts";
export { loadMcpSdk } from "./mcp-client/mcp-sdk.ts";
export { findDesktopPrograms } from "./screen/find-programs.ts";
export { createOpenAiImages } from "./screen/image-provider.ts";
export type { ImageProvider, SendToProvider } from "./screen/image-provider.ts";
export { Screens } from "./screen/screens.ts";
export { outsideTools } from "./tools/outside-tools.ts";
export type { OutsideDeps } from "./tools/outside-tools.ts";
export type { FoundPage, ReadPage, WebDeps, WebSearchType } from "./tools/web-deps.ts";
export { webTools } from "./tools/web-tools.ts";
export { workspaceTools } from "./tools/workspace-tools.ts";
export type { GivenCall } from "./validate-call.ts";
export { WorkspaceMachine } from "./workspace-machine.ts";
export { createWorkspace } from "./workspace/create-workspace.ts";
export { ripgrepProgram } from "./workspace/ripgrep.ts";
export { createSessionChanges } from "./workspace/session-changes.ts";
export type { CheckpointDifference, SessionChanges } from "./workspace/session-changes.ts";
export type { Contents, FileChange } from "./workspace/edit-history.ts";
export { decodeText } from "./workspace/text-file.ts";
export { compareCheckpoint, listCheckpoints, restoreCheckpoint, undoChange } from "./workspace/undo-changes.ts";
export type { ChangedFile, Checkpoint, UndoOutcome } from "./workspace/undo-changes.ts";
export type { WorkspaceDeps } from "./workspace/workspace-deps.ts";
