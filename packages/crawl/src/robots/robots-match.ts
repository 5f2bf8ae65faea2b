import { matchesPieces } from "../star-pattern.ts";
import { normalizeEscapes } from "../url/percent-encoding.ts";
import type { RobotsGroup, RobotsTxt } from "./robots-txt.ts";

/**
 * Whether the file lets `agent` (a product token such as `QuarryBot`) read `url`: the longest rule that matches wins,
 * and among equals the one that allows. The agent's own groups count alone where there are any, those of `*` otherwise.
 *
 * RFC 9309 compares a URL and a rule after undoing escapes (`/%62` is `/b`); Google's matcher, which webmasters test
 * against, compares them as written. Both readings are asked, and where they differ the answer is no.
 */
export function robotsAllow(file: RobotsTxt, agent: string, url: string): boolean {
  const group = robotsGroupFor(file, agent);
  if (group === undefined) return true;
  const target = pathAndQueryOf(url);
  return decides(group, "literal", target) && decides(group, "unescaped", normalizeEscapes(target, "query"));
}

/** What the file says to this agent, or to everyone; undefined when it says nothing to either. */
export function robotsGroupFor(file: RobotsTxt, agent: string): RobotsGroup | undefined {
  return file.groups.get(agent.toLowerCase()) ?? file.groups.get("*");
}

function decides(group: RobotsGroup, spelling: "literal" | "unescaped", target: string): boolean {
  let longest = 0;
  let allowed = true;
  for (const block of group.blocks) {
    for (const rule of block) {
      const pattern = rule[spelling];
      if (pattern.length < longest || (pattern.length === longest && allowed)) continue;
      if (!matchesPattern(pattern, target)) continue;
      longest = pattern.length;
      allowed = rule.allow;
    }
  }
  return allowed;
}

/** Whether a pattern matches the beginning of `target`: `*` stands for any characters, a last `$` for the end. */
export function matchesPattern(pattern: string, target: string): boolean {
  const isWhole = pattern.endsWith("$");
  return matchesPieces((isWhole ? pattern.slice(0, -1) : pattern).split("*"), target, isWhole);
}

/** Path and query as written, `/` when there are none. Taken from the text, so that no parser rewrites them. */
function pathAndQueryOf(url: string): string {
  const afterScheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0].length ?? (url.startsWith("//") ? 2 : 0);
  const start = url.slice(afterScheme).search(/[/?#]/);
  if (start === -1) return "/";
  const rest = url.slice(afterScheme + start).split("#", 1)[0] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}
