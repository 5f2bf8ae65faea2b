import { useEffect, useState } from "react";
import { ApiError, isRecord, messageOf, open } from "../../api/send.ts";
import { readServerEvents } from "../../api/server-events.ts";
import { say } from "../../words/say.ts";

/** A quote behind a sentence: where it stands. */
export interface AnswerReference {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly snapshotId: string | null;
  readonly start: number;
  readonly end: number;
}

/** A sentence of an answer with what it rests on. */
export interface AnswerSentence {
  readonly text: string;
  readonly references: readonly AnswerReference[];
}

/** An answer as far as it has come. */
export interface Answer {
  readonly sentences: readonly AnswerSentence[];
  readonly isOver: boolean;
  readonly costDollars?: number;
  readonly mode?: string;
  readonly warnings: readonly string[];
  readonly error?: Error;
}

const NOTHING_YET: Answer = { sentences: [], isOver: false, warnings: [] };

/** Asks for an answer and follows it. A connection that drops in the middle asks anew: the stream cannot be resumed. */
export function useAnswer(question: string): { readonly answer: Answer; readonly askAgain: () => void } {
  const [answer, setAnswer] = useState(NOTHING_YET);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setAnswer(NOTHING_YET);
    streamAnswer(question, stop.signal, (change) => setAnswer((old) => ({ ...old, ...change(old) }))).catch(
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setAnswer((old) => ({
          ...old,
          isOver: true,
          error: error instanceof Error ? error : new Error(String(error)),
        }));
      },
    );
    return () => stop.abort();
  }, [question, round]);
  return { answer, askAgain: () => setRound(round + 1) };
}

async function streamAnswer(
  query: string,
  signal: AbortSignal,
  change: (next: (old: Answer) => Partial<Answer>) => void,
): Promise<void> {
  const body = { query, stream: true, quarry: { evidence: true } };
  const response = await open("/answer", { method: "POST", body, signal });
  if (!response.ok) {
    throw new ApiError(messageOf(await response.json().catch(() => undefined), response.status), response.status);
  }
  for await (const { data } of readServerEvents(response)) {
    if (data === "[DONE]") {
      change(() => ({ isOver: true }));
      return;
    }
    const frame = JSON.parse(data) as AnswerFrame;
    if (frame.tag === "ERROR") throw new Error(messageOf(frame.payload, 500));
    const content = frame.choices?.[0]?.delta.content;
    if (content !== undefined) {
      const sentence = { text: content.trim(), references: frame.quarry?.references ?? [] };
      change((old) => ({ sentences: [...old.sentences, sentence] }));
    }
    const { costDollars, quarry } = frame;
    if (costDollars !== undefined) {
      const warnings = (quarry?.warnings ?? []).map((warning) => (isRecord(warning) ? String(warning["message"]) : ""));
      change(() => ({ costDollars: costDollars.total, mode: quarry?.mode ?? "", warnings }));
    }
  }
  throw new Error(say("ask.theAnswerBrokeOffBefore"));
}

/** As much of a frame as is read. */
interface AnswerFrame {
  readonly tag?: string;
  readonly payload?: unknown;
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
  readonly costDollars?: { readonly total: number };
  readonly quarry?: {
    readonly references?: readonly AnswerReference[];
    readonly mode?: string;
    readonly warnings?: readonly unknown[];
  };
}
