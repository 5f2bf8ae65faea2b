import { isUrl } from "@quarry/base";
import { isDirectory } from "../entities/company.ts";
import type { Entity } from "../entities/entity.ts";
import { siteOf } from "../judge/subject.ts";

/**
 * Every name by which an entity is recognised as the same one, wherever it came from: its key, what it is the same as, its
 * address, and for a company the host it has to itself.
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

/** The host that a company has to itself; undefined when its page is a page of someone else's site, such as a directory's entry. */
function companyDomain(address: string): string | undefined {
  if (!isUrl(address) || isDirectory(address) || isDeep(address)) return undefined;
  return companyHost(address);
}

/** The site of an address where its host is the site's, with or without www; else the host: a society's institutes share its domain. */
export function companyHost(address: string): string {
  const { hostname } = new URL(address);
  const site = siteOf(address);
  return hostname === site ? site : hostname.replace(/^www\./, "");
}

/** Whether an address names a page within a page. */
export function isDeep(address: string): boolean {
  return new URL(address).pathname.split("/").filter(Boolean).length > 1;
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
