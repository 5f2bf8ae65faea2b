import { isRecord } from "../../api/send.ts";
import type { RequestInput } from "./request.ts";

/** The address of the playground: the endpoint, and what its form holds, so that a link shows the same request. */
export interface PlaygroundSearch {
  readonly op?: string | undefined;
  readonly input?: RequestInput | undefined;
}

/** Reads such an address. */
export function readPlaygroundSearch(raw: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const { op, input } = raw;
  return {
    ...(typeof op === "string" && op !== "" ? { op } : {}),
    ...(isRecord(input) ? { input: readInput(input) } : {}),
  };
}

function readInput(raw: Readonly<Record<string, unknown>>): RequestInput {
  const parameters = isRecord(raw["parameters"]) ? raw["parameters"] : {};
  return {
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
    ...(raw["body"] === undefined ? {} : { body: raw["body"] }),
    ...(typeof raw["raw"] === "string" ? { raw: raw["raw"] } : {}),
    ...(typeof raw["mediaType"] === "string" ? { mediaType: raw["mediaType"] } : {}),
  };
}
