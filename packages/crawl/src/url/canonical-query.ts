import { normalizeEscapes } from "./percent-encoding.ts";
import { isSessionParameter } from "./session-id.ts";
import { isTrackingParameter } from "./tracking-parameters.ts";

/**
 * The query of a canonical URL, without its `?`: tracking and session parameters, empty ones and nameless ones are
 * dropped, `name=` is `name`, and parameters are sorted by name. Values of one name keep their order, which forms
 * and PHP arrays rely on. `;` is not a separator.
 */
export function canonicalQuery(search: string): string {
  const query = search.startsWith("?") ? search.slice(1) : search;
  const kept: { readonly name: string; readonly text: string }[] = [];
  for (const part of query.split("&")) {
    const equals = part.indexOf("=");
    const name = normalizeEscapes(equals === -1 ? part : part.slice(0, equals), "query");
    const value = equals === -1 ? "" : normalizeEscapes(part.slice(equals + 1), "query");
    if (name === "" || isTrackingParameter(name) || isSessionParameter(name, value)) continue;
    kept.push({ name, text: value === "" ? name : `${name}=${value}` });
  }
  kept.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  return kept.map((parameter) => parameter.text).join("&");
}
