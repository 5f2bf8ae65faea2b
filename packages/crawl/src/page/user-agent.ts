/** How we call ourselves to other servers, and in their robots.txt. */
export const CRAWLER_AGENT = "QuarryBot";

/**
 * The User-Agent of every request of the crawler: its name, its version, and where the owner of a site can read about it.
 * That is the documentation of this very server, which answers without a key; a server that nobody outside can reach has
 * no such address.
 */
export function crawlerUserAgent(version: string, publicUrl: string | undefined): string {
  const address = publicUrl === undefined ? "" : `+${publicUrl.replace(/(?<!\/)\/+$/, "")}/docs; `;
  return `${CRAWLER_AGENT}/${version} (${address}web index of one team; obeys robots.txt)`;
}
