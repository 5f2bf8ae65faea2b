import { SHARED_TEAM, type AgentMonitorField, type FoundContent, type WebsetReference } from "@quarry/store";
import type { StoredPage } from "../../runs/websets-deps.ts";
import type { AgentMonitorJobDeps, AgentPageQuestion } from "./agent-monitor-deps.ts";
import { answerField, type FieldQuestion } from "./answer-field.ts";

/** Pages of the entity's own site, and pages of others, that one field is answered from. */
const OWN_PAGES = 4;
const OTHER_PAGES = 4;

/** One look at one entity. */
export interface EntityLook {
  readonly teamId: string;
  readonly entity: FieldQuestion["entity"];
  readonly fields: readonly AgentMonitorField[];
  /** Undefined: as things are now. Else as they were stored at its end, news being what was published within. */
  readonly window?: { readonly from: Date; readonly to: Date } | undefined;
}

/** What a look has found. */
export interface EntityFindings {
  readonly found: readonly FoundContent[];
  readonly references: readonly WebsetReference[];
  readonly tokens: number;
  /** Whether there was anything to read. */
  readonly hasPages: boolean;
}

/** Answers the fields of an entity, each from pages of its own site and from pages of others that the index finds for it. */
export async function lookAtEntity(
  deps: AgentMonitorJobDeps,
  look: EntityLook,
  signal: AbortSignal,
): Promise<EntityFindings> {
  const found: FoundContent[] = [];
  const references: WebsetReference[] = [];
  let tokens = 0;
  let hasPages = false;
  const read = new Map<string, StoredPage>();
  for (const field of look.fields) {
    signal.throwIfAborted();
    const pages = await gather(deps, look, field, read, signal);
    hasPages ||= pages.length > 0;
    if (pages.length === 0) continue;
    const now = look.window?.to ?? deps.clock.now();
    const { llm, embed } = deps;
    const answer = await answerField(deps.judges, { entity: look.entity, field, pages, now, llm, embed }, signal);
    tokens += answer.tokens;
    references.push(...answer.references);
    if (answer.found !== undefined) found.push(answer.found);
  }
  return { found, references, tokens, hasPages };
}

/** A page is read once a look, however many fields need it. */
async function gather(
  deps: AgentMonitorJobDeps,
  { teamId, entity, window }: EntityLook,
  field: AgentMonitorField,
  read: Map<string, StoredPage>,
  signal: AbortSignal,
): Promise<readonly StoredPage[]> {
  const teamIds = [teamId, SHARED_TEAM];
  const query = `${entity.name} ${field.description}`;
  const own: AgentPageQuestion = { teamIds, query, limit: OWN_PAGES, includeDomains: [entity.domain] };
  const others: AgentPageQuestion = {
    teamIds,
    query,
    limit: OTHER_PAGES,
    ...(window !== undefined && { published: window }),
  };
  const ownUrls = await deps.findPages(own, signal);
  const home = `https://${entity.domain}/`;
  const otherUrls = (await deps.findPages(others, signal)).filter((url) => !ownUrls.includes(url));
  const firsts = ownUrls.length === 0 && window === undefined ? [home] : ownUrls;
  await readInto(deps, read, { teamIds, urls: firsts, asOf: window?.to ?? "now" }, signal);
  await readInto(deps, read, { teamIds, urls: otherUrls, asOf: window?.to ?? "stored" }, signal);
  return [...firsts, ...otherUrls].flatMap((url) => read.get(url) ?? []);
}

async function readInto(
  deps: AgentMonitorJobDeps,
  read: Map<string, StoredPage>,
  place: Parameters<AgentMonitorJobDeps["readPages"]>[0],
  signal: AbortSignal,
): Promise<void> {
  const urls = place.urls.filter((url) => !read.has(url));
  if (urls.length === 0) return;
  for (const page of await deps.readPages({ ...place, urls }, signal)) read.set(page.url, page);
}
