import { requirements } from "../requirement.ts";

/** What the cli part promises. */
export const cliRequirements = requirements({
  "design conventions": {
    "cli:server:found-by-server-json": "the CLI finds the running server through server.json",
    "cli:server:started-when-none": "with none running it starts one",
    "cli:server:remote": "it talks to another server by address and key",
    "cli:output:json": "--json gives JSON on every command",
    "cli:output:stdout-stderr": "data goes to stdout and progress to stderr",
    "cli:output:no-color": "NO_COLOR and pipes turn colours off",
    "cli:output:progress-bar": "progress bars show on a terminal alone",
    "cli:exit:ok": "success exits 0",
    "cli:exit:error": "an error exits 1",
    "cli:exit:usage": "wrong usage exits 2",
    "cli:exit:auth": "an authentication failure exits 3",
    "cli:exit:not-found": "something not found exits 4",
    "cli:exit:rate-limit": "a rate limit exits 5",
    "cli:exit:partial": "a partial result exits 6",
    "cli:eval-and-bench:commands": "quarry eval and quarry bench run the measurements",
  },
  "issue 2 point 9": {
    "cli:help:every-command": "every command has help with an example",
    "cli:completion:shells": "completion scripts exist for bash, zsh and fish",
    "cli:keys:commands": "quarry keys creates, lists, rotates and revokes",
    "cli:config:print": "quarry config print works without a running server",
    "cli:backup:backup": "quarry backup writes a consistent backup while the server works",
    "cli:backup:restore": "quarry restore brings it back row by row equal",
    "cli:doctor:checks": "doctor checks Node, ports, data directory, database, disk, models and browser",
    "cli:doctor:says-how-to-fix": "doctor says how to fix what it finds",
    "cli:serve:starts": "quarry serve starts the server",
    "cli:errors:cause-and-fix": "an error says its cause and what to do",
    "cli:unknown:suggests": "an unknown command suggests the nearest",
  },
  "features 4.3": {
    "cli:input:never-blocks": "without a terminal it never waits for input",
    "cli:interrupt:130": "an interrupt exits 130",
    "cli:output:file": "-o writes the data to a file",
  },
  "issue 3": {
    "cli:crawl:crawl-url": "quarry crawl URL crawls with a progress bar",
    "cli:index:import-file": "quarry index import FILE imports",
    "cli:local-key:used-by-itself": "on the server's own machine the CLI uses the local key by itself",
  },
  "issue 4 seen working": {
    "cli:search:highlights": "quarry search shows highlights in the terminal",
    "cli:search:json-type": "quarry search --type deep --json works",
    "cli:contents:command": "quarry contents shows a page's text",
  },
  "issue 6 seen working": {
    "cli:answer:command": "quarry answer shows the answer with its citations, live",
    "cli:research:command": "quarry research shows live progress and writes Markdown or JSON",
  },
  "issue 7 seen working": {
    "cli:websets:create-watch": "quarry websets create --watch shows the grid filling",
    "cli:websets:explain": "quarry explain says what a webset waits for",
  },
  "issue 8": {
    "cli:monitors:command": "quarry monitors manages monitors",
    "cli:webhooks:listen": "quarry webhooks listen shows and forwards deliveries",
    "cli:websets:export": "quarry websets export writes a file",
  },
  "issue 9 seen working": {
    "cli:tools:call-exa": "quarry tools call exa_search runs without asking",
    "cli:tools:write-asks": "a write tool asks on the terminal",
    "cli:tools:yes": "--yes does not ask",
    "cli:tools:list": "quarry tools list lists the tools",
    "cli:approvals:command": "quarry approvals lists and answers",
  },
  "issue 11": {
    "cli:mcp:stdio": "quarry mcp serves MCP over stdio",
  },
});
