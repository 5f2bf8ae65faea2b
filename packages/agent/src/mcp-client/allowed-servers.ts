import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/resolve-path.ts";
import { writeWholeFile } from "../workspace/write-file.ts";

/** What was let run before: servers of a workspace's own file, and tools by what was said of them. It lies outside the workspace. */
export interface AllowedServers {
  /** Whether a team let a server of a workspace start, as it is now. */
  readonly knowsServer: (teamId: string, fingerprint: string) => Promise<boolean>;
  readonly allowServer: (teamId: string, fingerprint: string) => Promise<void>;
  /** How a tool presented itself when a call of it last ran; undefined for one that never did. */
  readonly presentationOf: (teamId: string, tool: string) => Promise<string | undefined>;
  readonly allowPresentation: (teamId: string, tool: string, presentation: string) => Promise<void>;
}

/** By team: what it allowed, and the presentation then. */
type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Keeps it in a file of this machine. */
export function createAllowedServers(file: string): AllowedServers {
  let writing: Promise<void> = Promise.resolve();
  const read = async (): Promise<Kept> => {
    try {
      return JSON.parse(await readFile(file, "utf8")) as Kept; // written below
    } catch (error) {
      if (isMissing(error)) return {};
      throw error;
    }
  };
  const get = async (teamId: string, key: string): Promise<string | undefined> => (await read())[teamId]?.[key];
  const put = (teamId: string, key: string, value: string): Promise<void> => {
    const next = writing.then(async () => {
      const kept = await read();
      if (kept[teamId]?.[key] === value) return;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const changed = { ...kept, [teamId]: { ...kept[teamId], [key]: value } };
      await writeWholeFile(file, Buffer.from(JSON.stringify(changed)), 0o600);
    });
    writing = next.catch(() => undefined); // whoever waits for it hears of it
    return next;
  };
  return {
    knowsServer: async (teamId, fingerprint) => (await get(teamId, `server ${fingerprint}`)) !== undefined,
    allowServer: (teamId, fingerprint) => put(teamId, `server ${fingerprint}`, "allowed"),
    presentationOf: (teamId, tool) => get(teamId, `tool ${tool}`),
    allowPresentation: (teamId, tool, presentation) => put(teamId, `tool ${tool}`, presentation),
  };
}

/** What a model is told of a tool, as one short text that changes with it. */
export function presentationOf(tool: {
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}): string {
  return createHash("sha256")
    .update(JSON.stringify([tool.description ?? "", tool.inputSchema]))
    .digest("hex");
}
