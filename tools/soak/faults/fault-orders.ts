import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** A place of the program that writes, by its call and its place in the bundle, and the faults that the call can meet. */
export interface WriteSite {
  readonly site: string;
  readonly faults: readonly string[];
}

/** Breaks the disk of processes that were started with its settings, and mends it. */
export interface FaultOrders {
  /** What a process needs in its environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** From now on the site meets the fault, whenever it comes by. */
  readonly begin: (site: string, fault: string) => void;
  readonly end: () => void;
  /** The sites that were found since `since` sites were known. */
  readonly sites: (since?: number) => readonly WriteSite[];
  /** How many calls met the fault of the last order. */
  readonly met: () => number;
}

interface Note {
  readonly kind: "site" | "fault";
  readonly id?: number;
  readonly site: string;
  readonly faults: readonly string[];
}

/** Gives orders through a directory of its own, which is there already. */
export function createFaultOrders(directory: string): FaultOrders {
  const order = path.join(directory, "order.json");
  const notes = path.join(directory, "notes.ndjson");
  writeFileSync(notes, "");
  let id = 0;
  const read = (): readonly Note[] =>
    readFileSync(notes, "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Note]));
  return {
    settings: {
      FAULT_DIRECTORY: directory,
      NODE_OPTIONS: `--import ${pathToFileURL(path.resolve("tools", "soak", "faults", "inject-faults.mjs")).href}`,
    },
    begin: (site, fault) => {
      id += 1;
      writeFileSync(`${order}.new`, JSON.stringify({ id, site, fault }));
      renameSync(`${order}.new`, order);
    },
    end: () => rmSync(order, { force: true }),
    sites: (since = 0) => {
      const found = new Map<string, WriteSite>();
      for (const { kind, site, faults } of read()) if (kind === "site") found.set(site, { site, faults });
      return [...found.values()].slice(since);
    },
    met: () => read().filter((note) => note.kind === "fault" && note.id === id).length,
  };
}
