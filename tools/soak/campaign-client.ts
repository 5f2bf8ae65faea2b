import { randomUUID } from "node:crypto";
import type { ServerProcess } from "../server-process.ts";
import { readAll, type CampaignWork } from "./campaign-work.ts";

/** A piece of work that the client wants, and what it was told about it. */
export interface CampaignWish {
  readonly work: CampaignWork;
  readonly idempotencyKey: string;
  /** The id of the first acknowledgement; undefined while there was none. */
  acknowledged: string | undefined;
  isOver: boolean;
}

/** A client that keeps one piece of each work going and its own list of what was acknowledged. */
export interface CampaignClient {
  readonly wishes: readonly CampaignWish[];
  /** Asks again for what was not acknowledged, and for a new one where the last is over. Rejects when the server is gone. */
  readonly keepBusy: (server: ServerProcess, options?: { readonly beginsNew: boolean }) => Promise<void>;
  /** Works that are acknowledged and not known to be over. */
  readonly open: () => readonly { readonly wish: CampaignWish; readonly id: string }[];
  /** What the server has beside, or instead of, what it acknowledged. */
  readonly compare: (server: ServerProcess) => Promise<readonly string[]>;
}

/** Makes a client; `onWish` is told before a new piece of work is asked for the first time. */
export function makeCampaignClient(
  works: readonly CampaignWork[],
  onWish: (work: CampaignWork) => void,
): CampaignClient {
  const wishes: CampaignWish[] = [];
  const faults: string[] = [];

  const ask = async (server: ServerProcess, wish: CampaignWish): Promise<void> => {
    const { work, idempotencyKey } = wish;
    const reply = await fetch(`${server.url}${work.route}`, {
      method: "POST",
      headers: { "x-api-key": server.key, "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: JSON.stringify(work.request),
    });
    const body = (await reply.json()) as Readonly<Record<string, unknown>>;
    if (reply.status === 201) wish.acknowledged ??= String(body[work.idField]);
    // An index that is still opening (503) and a request that is still running (409) are asked again.
    else if (reply.status !== 409 && reply.status !== 503)
      faults.push(`a ${work.name} was answered with ${reply.status}: ${JSON.stringify(body)}`);
  };

  return {
    wishes,
    keepBusy: async (server, { beginsNew } = { beginsNew: true }) => {
      await Promise.all(
        works.map(async (work) => {
          let last = wishes.filter((wish) => wish.work === work).at(-1);
          if (last?.acknowledged !== undefined && !last.isOver) {
            last.isOver = (await work.look(server, last.acknowledged)).isOver;
          }
          if (beginsNew && (last === undefined || last.isOver)) {
            last = { work, idempotencyKey: randomUUID(), acknowledged: undefined, isOver: false };
            wishes.push(last);
            onWish(work);
          }
          if (last !== undefined && last.acknowledged === undefined) await ask(server, last);
        }),
      );
    },
    open: () =>
      wishes.flatMap((wish) =>
        wish.acknowledged === undefined || wish.isOver ? [] : [{ wish, id: wish.acknowledged }],
      ),
    compare: async (server) => {
      const violations = [...faults];
      for (const work of works) {
        const known = (await readAll(server, work.route)).map((row) => String(row[work.idField]));
        const wanted = wishes.filter((wish) => wish.work === work).map(({ acknowledged }) => acknowledged ?? "none");
        const lost = wanted.filter((id) => !known.includes(id));
        const foreign = known.filter((id) => !wanted.includes(id));
        if (lost.length > 0) violations.push(`${work.name}: acknowledged and lost: ${lost.join()}`);
        if (foreign.length > 0) violations.push(`${work.name}: there, although nobody was told: ${foreign.join()}`);
        if (new Set(known).size !== known.length) violations.push(`${work.name}: one is listed twice`);
      }
      return violations;
    },
  };
}
