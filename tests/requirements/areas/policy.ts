import { requirements } from "../requirement.ts";

/** What the policy part promises. */
export const policyRequirements = requirements({
  "issue 9 policy and approvals": {
    "policy:decision:allow-ask-deny": "policy answers allow, ask or deny",
    "policy:decision:deny-beats-ask-beats-allow": "deny beats ask and ask beats allow",
    "policy:rules:by-tool": "rules match by tool",
    "policy:rules:by-tier": "rules match by tier",
    "policy:rules:by-arguments": "rules match by arguments",
    "policy:rules:by-path": "rules match by path",
    "policy:rules:by-host": "rules match by host",
    "policy:rules:by-cost": "rules match by cost",
    "policy:files:admin-user-workspace": "rules come from admin, user and workspace files, in that order of strength",
    "policy:files:bad-file": "a broken rules file is an error that names the place, and denies rather than allows",
    "policy:defaults:reads-allowed": "reads are allowed by default",
    "policy:defaults:others-asked": "writes, commands and network calls are asked by default",
    "policy:cli:exa-auto-approved": "in CLI mode exa search and fetch are approved by themselves",
    "policy:cli:nothing-else": "in CLI mode nothing else is",
    "policy:simulator:explain": "quarry tools explain tells the decision and the rule behind it",
    "policy:audit:every-call": "every call is in the audit log with arguments hash, decision, who, result and duration",
    "policy:audit:hash-chained": "the audit log is a hash chain, and a change in it is found",
    "policy:audit:exportable": "the audit log can be exported",
  },
  "agent-tools 5": {
    "policy:shell:every-command-must-match": "every simple command of a line must match a rule",
    "policy:shell:substitution-asks": "substitution, redirects to files, eval, sh -c, find -exec and xargs ask",
    "policy:shell:env-prefix": "a safe environment prefix does not defeat a saved rule",
    "policy:shell:sudo-asks": "sudo always asks",
    "policy:shell:rm-root-denied": "deleting /, home, . or .. is denied whatever the rules say",
    "policy:shell:unparsed-asks": "a line that cannot be parsed asks",
    "policy:rules:protected-file": "saved rules live where the sandbox cannot write",
    "policy:hooks:permission": "a hook may allow, ask or deny, and a denial carries its two messages",
    "policy:mcp:allowlist": "MCP rules match server:tool with wildcards",
  },
});
