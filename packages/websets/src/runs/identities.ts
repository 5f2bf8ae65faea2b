import { isUrl } from "@quarry/base";
import { getDomain } from "tldts";
import type { Entity } from "../entities/entity.ts";

/**
 * Every name by which an entity is recognised as the same one, wherever it came from: its key, what it is the same as, its
 * address, and for a company the domain it has to itself.
 */
export function identitiesOf(entity: Pick<Entity, "key" | "sameAs" | "url" | "type">): readonly string[] {
  const urls = [entity.url, ...entity.sameAs].filter((address) => isUrl(address));
  const addresses = urls.map((address) => `url:${plainAddress(address)}`);
  const domain = entity.type === "company" ? companyDomain(entity.url) : undefined;
  return [
    ...new Set([entity.key, ...entity.sameAs, ...addresses, ...(domain === undefined ? [] : [`domain:${domain}`])]),
  ];
}

/** An address without what does not tell pages apart: scheme, www, slash at the end, fragment. */
function plainAddress(address: string): string {
  const { hostname, port, pathname, search } = new URL(address);
  return `${hostname.replace(/^www\./, "")}${port === "" ? "" : `:${port}`}${pathname.replace(/(?<!\/)\/+$/, "")}${search}`;
}

/** A company's domain; undefined when its page is a page of someone else's site, such as a directory's entry. */
function companyDomain(address: string): string | undefined {
  if (!isUrl(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  if (pathname.split("/").filter(Boolean).length > 1) return undefined;
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

/** What entities of one group share: a person's company, by its name. */
export function groupOf(entity: Pick<Entity, "properties">): string | null {
  const { properties } = entity;
  if (properties.type !== "person" || properties.person.company === null) return null;
  return properties.person.company.name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** An entity as rows keep it: the page's text is kept once, with the page. */
export function withoutContent(entity: Entity): Entity {
  const { properties } = entity;
  if (!("content" in properties) || properties.content === null) return entity;
  return { ...entity, properties: { ...properties, content: null } };
}
