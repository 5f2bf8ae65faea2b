import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { expect } from "vitest";
import { moveImport, type ImportMove, type ImportStatus } from "../imports/import-state.ts";
import { moveMonitorRun, type MonitorRunMove, type MonitorRunStatus } from "../monitors/monitor-run-state.ts";
import { moveResearch, type ResearchMove, type ResearchStatus } from "../research/research-state.ts";
import { moveApproval, type ApprovalMove, type ApprovalState } from "../tools/approval-state.ts";
import {
  moveWebsetSearch,
  statusOfEnrichment,
  statusOfWebset,
  type WebsetSearchMove,
  type WebsetSearchStatus,
} from "./webset-state.ts";

/** A thing with a life: how it begins, what may happen to it, and every change that the specification knows. */
interface Machine {
  readonly first: string;
  readonly moves: readonly string[];
  readonly move: (status: string, move: string) => string | undefined;
  /** "from > to", written down from the specification and not from the code. */
  readonly legal: ReadonlySet<string>;
}

const MACHINES: Readonly<Record<"search" | "import" | "run" | "research" | "approval", Machine>> = {
  search: {
    first: "created",
    moves: ["queue", "start", "complete", "cancel"] satisfies WebsetSearchMove[],
    move: (status, move) => moveWebsetSearch(status as WebsetSearchStatus, move as WebsetSearchMove),
    legal: edges(
      "created > pending, created > running, created > canceled, pending > running, pending > canceled, running > completed, running > canceled",
    ),
  },
  import: {
    first: "pending",
    moves: ["receive", "miss", "complete", "fail"] satisfies ImportMove[],
    move: (status, move) => moveImport(status as ImportStatus, move as ImportMove),
    legal: edges("pending > processing, pending > failed, processing > completed, processing > failed"),
  },
  run: {
    first: "created",
    moves: ["start", "complete", "cancel", "fail"] satisfies MonitorRunMove[],
    move: (status, move) => moveMonitorRun(status as MonitorRunStatus, move as MonitorRunMove),
    legal: edges(
      "created > running, created > canceled, created > failed, running > completed, running > canceled, running > failed",
    ),
  },
  research: {
    first: "pending",
    moves: ["start", "complete", "cancel", "fail"] satisfies ResearchMove[],
    move: (status, move) => moveResearch(status as ResearchStatus, move as ResearchMove),
    // a worker that takes over from a dead one starts again
    legal: edges(
      "pending > running, pending > canceled, pending > failed, running > running, running > completed, running > canceled, running > failed",
    ),
  },
  approval: {
    first: "pending",
    moves: ["approve", "refuse", "use", "expire", "withdraw"] satisfies ApprovalMove[],
    move: (state, move) => moveApproval(state as ApprovalState, move as ApprovalMove),
    legal: edges(
      "pending > granted, pending > rejected, pending > expired, pending > withdrawn, granted > used, granted > expired, granted > withdrawn",
    ),
  },
};
const KINDS = Object.keys(MACHINES) as readonly (keyof typeof MACHINES)[];
const LIVES = 500;
const STEPS = 2_000;
/** Of each kind in one life; one that has ended makes room for another. */
const THINGS = 4;

verifies(
  "promises:t6:state-machines",
  "a million random steps make legal changes alone, and what a webset and an enrichment are follows from their parts",
  () => {
    const made = new Map(KINDS.map((kind) => [kind, new Set<string>()]));
    let steps = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: STEPS, maxLength: STEPS, size: "max" }), (choices) => {
        const things = new Map(KINDS.map((kind) => [kind, Array.from({ length: THINGS }, () => MACHINES[kind].first)]));
        const cells = [false, false, false];
        let isPaused = false;
        let isCanceled = false;
        for (const choice of choices) {
          steps += 1;
          const kind = KINDS[choice % KINDS.length] ?? "search";
          const { first, moves, move, legal } = MACHINES[kind];
          const statuses = things.get(kind) ?? [];
          const place = (choice >> 3) % THINGS;
          const status = statuses[place] ?? first;
          const next = move(status, moves[(choice >> 5) % moves.length] ?? "");
          if (next !== undefined) {
            made.get(kind)?.add(`${status} > ${next}`);
            if (!legal.has(`${status} > ${next}`)) throw new Error(`${kind}: ${status} became ${next}`);
            statuses[place] = next;
          } else if (isEnd(legal, status) && (choice >> 8) % 4 === 0) statuses[place] = first;
          if ((choice >> 10) % 5 === 0) cells[(choice >> 13) % cells.length] = (choice >> 15) % 2 === 0;
          if ((choice >> 16) % 50 === 0) isPaused = !isPaused;
          if ((choice >> 16) % 60 === 0) isCanceled = !isCanceled;
          check({ things, hasOpenCells: cells.includes(true), isPaused, isCanceled });
        }
      }),
      { numRuns: LIVES },
    );
    expect(steps).toBe(LIVES * STEPS);
    // and every change that may happen did
    for (const kind of KINDS) expect([...(made.get(kind) ?? [])].sort()).toEqual([...MACHINES[kind].legal].sort());
  },
  60_000,
);

interface Parts {
  readonly things: ReadonlyMap<keyof typeof MACHINES, readonly string[]>;
  readonly hasOpenCells: boolean;
  readonly isPaused: boolean;
  readonly isCanceled: boolean;
}

/** The words of the specification, said again: idle means that nothing is open; pending, that nothing has begun. */
function check({ things, hasOpenCells, isPaused, isCanceled }: Parts): void {
  const searches = (things.get("search") ?? []) as readonly WebsetSearchStatus[];
  const open = searches.filter((status) => status !== "completed" && status !== "canceled");
  const openRuns = (things.get("run") ?? []).some((status) => status === "created" || status === "running");
  const openImports = (things.get("import") ?? []).includes("processing");
  const hasOpenWork = openRuns || openImports;
  const isQuiet = open.length === 0 && !hasOpenCells && !hasOpenWork;
  const hasBegun = hasOpenCells || hasOpenWork || open.length < searches.length || open.includes("running");
  const expected = isPaused ? "paused" : isQuiet ? "idle" : hasBegun ? "running" : "pending";
  const status = statusOfWebset({ isPaused, searches, hasOpenCells, hasOpenWork });
  if (status !== expected) throw new Error(`a webset of ${searches.join(", ")} is ${status}, not ${expected}`);
  const itemsMayCome = open.length > 0;
  const wanted = isCanceled ? "canceled" : hasOpenCells || itemsMayCome ? "pending" : "completed";
  const enrichment = statusOfEnrichment({ isCanceled, hasOpenCells, itemsMayCome });
  if (enrichment !== wanted) throw new Error(`an enrichment is ${enrichment}, not ${wanted}`);
}

function isEnd(legal: ReadonlySet<string>, status: string): boolean {
  return ![...legal].some((edge) => edge.startsWith(`${status} > `));
}

function edges(list: string): ReadonlySet<string> {
  return new Set(list.split(", "));
}
