import { isUrl } from "@quarry/base";
import { exchange, type ExchangeDeps } from "./exchange.ts";
import type { Guard, Target } from "./guard/guard.ts";
import type { RequestLimits } from "./limits.ts";
import { refused, type DialRefusal } from "./outcome.ts";
import { followRedirect, isRedirect, type Hop, type Redirect } from "./redirect.ts";
import { headerOf, toReply, type Arrival, type DialOutcome } from "./reply.ts";

/** Where a dial starts; the target was judged. */
export interface Start {
  readonly target: Target;
  readonly hop: Hop;
}

/** How a dial goes on. */
export interface Course extends Pick<Arrival, "limits" | "deadline" | "decoding"> {
  readonly redirects: "follow" | "manual";
}

/** The body of a redirect is read up to here, to keep its connection; beyond, closing it is cheaper. */
const MAX_DRAINED_BYTES = 64 * 1024;

/** Goes from hop to hop until one answers with something else than a redirect; every hop is judged like the first. */
export async function followHops(deps: ExchangeDeps, start: Start, course: Course): Promise<DialOutcome> {
  const { limits, deadline } = course;
  const redirects: Redirect[] = [];
  const seen = new Set<string>();
  let { target, hop } = start;
  for (;;) {
    seen.add(keyOf(hop));
    const answer = await exchange(deps, target, hop, course);
    if (answer.kind !== "answer") return answer;
    const location = isRedirect(answer.status) ? headerOf(answer, "location") : undefined;
    if (location === undefined || course.redirects === "manual") {
      return toReply(answer, { ...course, hop, redirects, location: toAbsolute(location, hop.url) });
    }
    const next = judgeRedirect(deps.guard, { hop, seen, count: redirects.length, limits }, answer.status, location);
    if (next.kind === "refused") {
      answer.raw.destroy();
      return next;
    }
    redirects.push({ status: answer.status, from: hop.url.href, to: next.hop.url.href });
    deadline.enter("headers", limits.headersMs);
    await answer.raw.dump({ limit: MAX_DRAINED_BYTES });
    deadline.leave();
    ({ target, hop } = next);
  }
}

interface Chain {
  readonly hop: Hop;
  readonly seen: ReadonlySet<string>;
  readonly count: number;
  readonly limits: RequestLimits;
}

function judgeRedirect(
  guard: Guard,
  chain: Chain,
  status: number,
  location: string,
): (Start & { readonly kind: "start" }) | DialRefusal {
  const next = followRedirect(chain.hop, status, location);
  if (next.kind === "refused") return next;
  const { hop } = next;
  const url = hop.url.href;
  const { maxRedirects } = chain.limits;
  if (chain.seen.has(keyOf(hop))) return refused("redirect-loop", url, `the redirects lead back to ${url}`);
  if (chain.count >= maxRedirects) return refused("too-many-redirects", url, `more than ${maxRedirects} redirects`);
  const target = guard.judgeUrl(url);
  return target.kind === "refused" ? target : { kind: "start", target, hop };
}

function toAbsolute(location: string | undefined, base: URL): string | undefined {
  return location !== undefined && isUrl(location, base.href) ? new URL(location, base).href : undefined;
}

function keyOf(hop: Hop): string {
  return `${hop.method} ${hop.url.href}`;
}
