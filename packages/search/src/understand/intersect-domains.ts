import { isUrl } from "@quarry/base";

/** Whether something typed after `site:` can be a domain, with a path or wildcards. */
export function isDomainLike(entry: string): boolean {
  if (entry.length > MAX_DOMAIN_LENGTH) return false;
  const host = hostOf(entry);
  if (host === "*") return true;
  const bare = host.replace(/^\*\./, "").replaceAll("*", "x");
  return bare !== "" && isUrl(`http://${bare}/`) && new URL(`http://${bare}/`).host !== "";
}

/**
 * The domains that both lists allow; undefined when neither restricts. Of two entries, one inside the other, the inner
 * one counts; a host and a path from elsewhere make one entry; an empty list means that no page can be in both.
 */
export function intersectDomains(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || one.length === 0) return other === undefined || other.length === 0 ? undefined : other;
  if (other === undefined || other.length === 0) return one;
  const inner = one.flatMap((first) => other.flatMap((second) => intersectEntries(first, second) ?? []));
  return [...new Set(inner)];
}

function intersectEntries(first: string, second: string): string | undefined {
  const [firstHost, secondHost] = [hostOf(first), hostOf(second)];
  const [firstPath, secondPath] = [pathOf(first), pathOf(second)];
  const host = innerOf(firstHost, secondHost, isHostInside);
  const path = innerOf(firstPath, secondPath, isPathInside) ?? joinPaths(firstPath, secondPath);
  if (host === undefined || path === undefined) return undefined;
  if (host === firstHost && path === firstPath) return first;
  return host === secondHost && path === secondPath ? second : `${host}${path}`;
}

function innerOf(
  first: string,
  second: string,
  isInside: (inner: string, outer: string) => boolean,
): string | undefined {
  if (isInside(first, second)) return first;
  return isInside(second, first) ? second : undefined;
}

const MAX_DOMAIN_LENGTH = 2_000;

/** `*.example.com` asks for hosts below example.com, which itself is not inside it. */
function isHostInside(inner: string, outer: string): boolean {
  const end = outer.replace(/^\*/, "");
  if (end === "" || end === "." || inner === outer) return true;
  if (end.includes("*")) return false;
  return inner.endsWith(end === outer ? `.${outer}` : end);
}

/** A path is the beginning of those it allows; one such as `/*.pdf` allows those that have its end anywhere. */
function isPathInside(inner: string, outer: string): boolean {
  return inner.startsWith(outer) || (isAnywhere(outer) && inner.includes(outer.slice(2)));
}

/** `/docs` and `/*.pdf` allow both what `/docs*.pdf` allows; of other patterns nobody can say what they share. */
function joinPaths(first: string, second: string): string | undefined {
  if (isAnywhere(second) && !first.includes("*")) return first + second.slice(1);
  return isAnywhere(first) && !second.includes("*") ? second + first.slice(1) : undefined;
}

function isAnywhere(path: string): boolean {
  return path.startsWith("/*") && !path.includes("*", 2);
}

function hostOf(entry: string): string {
  return (withoutScheme(entry).split("/")[0] ?? "").replace(/^www\.(?=.+\.)/, "").replaceAll(/^\.+|(?<!\.)\.+$/g, "");
}

/** As filters read it: `/docs/` leaves out what `/docs` allows, such as `/docs-old`. */
function pathOf(entry: string): string {
  const bare = withoutScheme(entry);
  const slash = bare.indexOf("/");
  const path = slash < 0 ? "" : bare.slice(slash).replace(/(?<!\*)\*+$/, "");
  return path === "/" ? "" : path;
}

function withoutScheme(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/[?#].*$/s, "");
}
