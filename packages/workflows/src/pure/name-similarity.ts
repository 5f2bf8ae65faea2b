/** How alike two names are, from 0 to 1: the Dice coefficient of their letter pairs, case and punctuation aside. */
export function nameSimilarity(one: string, other: string): number {
  const left = normalizeName(one);
  const right = normalizeName(other);
  if (left === right) return left === "" ? 0 : 1;
  const pairs = countPairs(left);
  let shared = 0;
  for (const [pair, count] of countPairs(right)) shared += Math.min(count, pairs.get(pair) ?? 0);
  const total = Math.max(0, left.length - 1) + Math.max(0, right.length - 1);
  return total === 0 ? 0 : (2 * shared) / total;
}

/** An address as an identity: without scheme, www, fragment and a slash at the end. */
export function sameAddress(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^www\./, "")
    .replace(/#.*$/s, "")
    .replace(/(?<!\/)\/+$/, "");
}

/** Whether two addresses are of one site, with www or without. */
export function sameHost(one: string, other: string): boolean {
  const host = (url: string): string => sameAddress(url).split("/", 1)[0] ?? "";
  return host(one) === host(other);
}

function normalizeName(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function countPairs(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
