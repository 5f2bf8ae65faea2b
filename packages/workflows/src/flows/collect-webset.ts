import { AppError } from "@quarry/base";
import type { Flow, Plain } from "../flow.ts";
import type { WebsetState, WebsetWish } from "../ports.ts";
import { isIncluded, toWorkflowItem, websetItemSchema, type WebsetItem, type WorkflowItem } from "../project-item.ts";

/** How often a webset at work is looked at. */
const LOOK_MS = 2_000;
const MAX_ITEMS = 1_000;

/** A webset that was made and waited for. */
export interface CollectedWebset {
  readonly websetId: string;
  readonly state: WebsetState;
  readonly timedOut: boolean;
  readonly items: readonly WebsetItem[];
  readonly included: readonly WebsetItem[];
  readonly names: ReadonlyMap<string, string>;
}

/** What is waited for, and how long. */
export interface CollectWish extends Omit<WebsetWish, "key"> {
  /** Names the steps: one for each webset of a task. */
  readonly label: string;
  readonly timeoutSeconds: number;
  /** Adds to this webset instead of making one. */
  readonly seedWebsetId?: string | undefined;
  /** Looks at this webset as it is, and makes or adds nothing. */
  readonly existingWebsetId?: string | undefined;
  /** How many steps lie before, of how many. */
  readonly before: number;
  readonly total: number;
}

/** Makes a webset (or adds a search to one), waits until it is idle, and collects its items. Paused is an error; out of time is not. */
export async function collectWebset(flow: Flow, wish: CollectWish): Promise<CollectedWebset> {
  const { label, timeoutSeconds, seedWebsetId, existingWebsetId, before, total, ...search } = wish;
  const key = `${flow.taskId}-${label}`;
  await flow.tell({ step: `${label}: create`, completed: before, total });
  const websetId = await flow.step(
    `${label}: create`,
    async (signal) => {
      if (existingWebsetId !== undefined && (await isThere(flow, existingWebsetId, signal))) return existingWebsetId;
      if (seedWebsetId === undefined) return flow.websets.create(flow.teamId, { ...search, key }, signal);
      await flow.websets.addSearch(flow.teamId, seedWebsetId, { ...search, key }, signal);
      return seedWebsetId;
    },
    { made: (id) => (id !== seedWebsetId && id !== existingWebsetId ? [{ kind: "webset", id }] : []) },
  );
  const idle = await flow.waitFor(
    `${label}: wait`,
    { everyMs: LOOK_MS, limitMs: timeoutSeconds * 1_000 },
    async (signal) => {
      const now = await flow.websets.get(flow.teamId, websetId, signal);
      if (now.status === "paused") {
        throw new AppError("conflict", `webset ${websetId} is paused; resume it and start the workflow again`);
      }
      if (now.status === "idle") return true;
      const message = `${now.found} found of ${now.analyzed} analysed`;
      const partialResult = {
        _summary: message,
        websetId,
        found: now.found,
        analyzed: now.analyzed,
        completion: now.completion,
      };
      await flow.tell({ step: `${label}: wait`, completed: before, total, message, partialResult });
      return undefined;
    },
  );
  await flow.tell({ step: `${label}: collect`, completed: before + 1, total });
  const collected = await flow.step(`${label}: collect`, async (signal) => {
    const state = await flow.websets.get(flow.teamId, websetId, signal);
    const limit = Math.min(MAX_ITEMS, 2 * search.count);
    const items = await flow.websets.items(flow.teamId, websetId, limit, signal);
    return { state, items: items.map(withoutContent) } as unknown as Plain;
  });
  const { state, items } = collected as unknown as {
    readonly state: WebsetState;
    readonly items: readonly WebsetItem[];
  };
  const known = items.map((item) => websetItemSchema.parse(item));
  return {
    websetId,
    state,
    timedOut: idle === undefined,
    items: known,
    included: known.filter(isIncluded),
    names: new Map(state.enrichments.map(({ id, description }) => [id, description])),
  };
}

async function isThere(flow: Flow, websetId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await flow.websets.get(flow.teamId, websetId, signal);
    return true;
  } catch (error) {
    if (AppError.from(error).code === "not_found") return false; // someone deleted it since the last run
    throw error;
  }
}

/** The items as results show them. */
export function showItems(
  collected: CollectedWebset,
  items: readonly WebsetItem[] = collected.included,
): WorkflowItem[] {
  return items.map((item) => toWorkflowItem(item, collected.names));
}

/** Nobody reads the contents of an item in a workflow, and they are large. */
function withoutContent(item: WebsetItem): WebsetItem {
  return { ...item, properties: { ...item.properties, content: undefined } };
}
