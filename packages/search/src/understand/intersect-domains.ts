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
 * one counts; an empty list means that no page can be in both.
 */
export function intersectDomains(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || one.length === 0) return other === undefined || other.length === 0 ? undefined : other;
  if (other === undefined || other.length === 0) return one;
  const inner = one.flatMap((first) =>
    other.flatMap((second) => (isInside(first, second) ? [first] : isInside(second, first) ? [second] : [])),
  );
  return [...new Set(inner)];
}

const MAX_DOMAIN_LENGTH = 2_000;

function isInside(inner: string, outer: string): boolean {
  const [innerHost, innerPath] = [hostOf(inner), pathOf(inner)];
  const [outerHost, outerPath] = [hostOf(outer), pathOf(outer)];
  const site = outerHost.replace(/^\*\.?/, "");
  const isHost =
    site === "" ||
    (outerHost.includes("*") && outerHost === innerHost) ||
    (!site.includes("*") && (innerHost === site || innerHost.endsWith(`.${site}`)));
  return isHost && innerPath.startsWith(outerPath);
}

function hostOf(entry: string): string {
  return (withoutScheme(entry).split("/")[0] ?? "").replace(/^www\.(?=.+\.)/, "").replaceAll(/^\.+|(?<!\.)\.+$/g, "");
}

function pathOf(entry: string): string {
  const bare = withoutScheme(entry);
  const slash = bare.indexOf("/");
  return slash < 0
    ? ""
    : bare
        .slice(slash)
        .replace(/(?<!\*)\*+$/, "")
        .replace(/\/$/, "");
}

function withoutScheme(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/[?#].*$/s, "");
}
