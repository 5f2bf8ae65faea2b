import { useEffect, useRef, useState } from "react";
import { ApiError, open } from "../../api/send.ts";
import { readServerEvents, type ServerEvent } from "../../api/server-events.ts";
import type { BuiltRequest } from "./request.ts";
import { say } from "../../words/say.ts";

/** What came of the last request. */
export interface Exchange {
  readonly state: "none" | "waiting" | "streaming" | "done";
  readonly status?: number;
  readonly mediaType?: string;
  readonly requestId?: string | undefined;
  readonly headersMs?: number;
  readonly totalMs?: number;
  readonly body?: string;
  readonly events?: readonly ServerEvent[];
  readonly problem?: string;
}

const MOST_EVENTS = 1_000;
const LONGEST_BODY = 2_000_000;

/** Sends requests one at a time and follows the reply; a new one, and leaving, ends the one before. */
export function useExchange(): {
  readonly exchange: Exchange;
  readonly start: (request: BuiltRequest, file?: Blob) => Promise<number | undefined>;
  readonly stop: () => void;
} {
  const [exchange, setExchange] = useState<Exchange>({ state: "none" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (request: BuiltRequest, file?: Blob): Promise<number | undefined> => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const began = performance.now();
    setExchange({ state: "waiting" });
    try {
      const response = await open(request.path, {
        method: request.method,
        headers: request.headers,
        body: file ?? request.body,
        signal,
      });
      const facts = {
        status: response.status,
        mediaType: response.headers.get("content-type") ?? "",
        requestId: response.headers.get("x-request-id") ?? undefined,
        headersMs: performance.now() - began,
      };
      if (facts.mediaType.startsWith("text/event-stream")) {
        let events: readonly ServerEvent[] = [];
        setExchange({ state: "streaming", ...facts, events });
        for await (const event of readServerEvents(response)) {
          events = [...events, event].slice(-MOST_EVENTS);
          setExchange({ state: "streaming", ...facts, events });
        }
        setExchange({ state: "done", ...facts, events, totalMs: performance.now() - began });
      } else {
        const body = await readBody(response, facts.mediaType);
        setExchange({ state: "done", ...facts, body, totalMs: performance.now() - began });
      }
      return facts.status;
    } catch (error) {
      if (signal.aborted) {
        setExchange((old) => ({ ...old, state: "done", problem: say("playground.stopped") }));
        return undefined;
      }
      setExchange({ state: "done", problem: error instanceof Error ? error.message : String(error) });
      return error instanceof ApiError ? error.status : undefined;
    }
  };
  return { exchange, start, stop: () => running.current?.abort() };
}

async function readBody(response: Response, mediaType: string): Promise<string> {
  if (!/json|text|xml/.test(mediaType)) {
    const { size } = await response.blob();
    return say("playground.bytesOf", { size, value: mediaType === "" ? say("playground.anUnnamedType") : mediaType });
  }
  const text = await response.text();
  if (!mediaType.includes("application/json")) return cut(text);
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return cut(text); // says JSON and is none: shown as it is
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_BODY
    ? text
    : say("playground.andMoreCharacters", { text: text.slice(0, LONGEST_BODY), count: text.length - LONGEST_BODY });
}
