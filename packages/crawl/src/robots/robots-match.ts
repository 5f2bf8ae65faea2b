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

/**
 * Whether a pattern matches the beginning of `target`: `*` stands for any characters, a last `$` for the end. Each
 * piece between stars is looked for once, left to right, so no pattern can make it go back.
 */
export function matchesPattern(pattern: string, target: string): boolean {
  const anchored = pattern.endsWith("$");
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const first = pieces[0] ?? "";
  if (!target.startsWith(first)) return false;
  if (pieces.length === 1) return !anchored || target.length === first.length;

  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = target.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  const last = pieces.at(-1) ?? "";
  if (!anchored) return target.indexOf(last, position) !== -1;
  return target.length - last.length >= position && target.endsWith(last);
}

/** Path and query as written, `/` when there are none. Taken from the text, so that no parser rewrites them. */
function pathAndQueryOf(url: string): string {
  const afterScheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0].length ?? (url.startsWith("//") ? 2 : 0);
  const start = url.slice(afterScheme).search(/[/?#]/);
  if (start === -1) return "/";
  const rest = url.slice(afterScheme + start).split("#", 1)[0] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}
