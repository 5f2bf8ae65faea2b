import { startTestModelServer, type TestModelServer } from "@quarry/models/testing";

/** A model server that answers by rote, from what it is shown and nothing else, so that the same run asks the same. */
export interface ResearchModel {
  readonly url: string;
  /** What was asked since the last look, one text a request, in order. */
  readonly takeAsked: () => readonly string[];
  readonly close: TestModelServer["close"];
}

/** Starts a model that plans `tasks`, notes the first quote of each source, and reports every claim. */
export async function startResearchModel(tasks: readonly string[], answerAfterMs: number): Promise<ResearchModel> {
  let taken = 0;
  const server = await startTestModelServer(({ body }, response) => {
    const content = replyTo(body["messages"] as readonly Message[], tasks);
    const choices = [{ message: { role: "assistant", content }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 500, completion_tokens: 100 };
    setTimeout(() => response.end(JSON.stringify({ choices, usage })), answerAfterMs);
  });
  return {
    url: server.url,
    takeAsked: () => {
      const fresh = server.seen.slice(taken).map(({ body }) => JSON.stringify(body["messages"]));
      taken = server.seen.length;
      return fresh;
    },
    close: server.close,
  };
}

interface Message {
  readonly role: string;
  readonly content: string;
}

function replyTo(messages: readonly Message[], tasks: readonly string[]): string {
  const system = messages[0]?.content ?? "";
  const asked = messages.at(-1)?.content ?? "";
  if (system.includes("You plan research")) {
    const isFirst = asked.endsWith("Known so far:\nnothing");
    return JSON.stringify({
      reasoning: isFirst ? "Three pages to read." : "All is known.",
      tasks: isFirst ? tasks : [],
    });
  }
  if (system.includes("You take notes")) {
    const sources = asked.matchAll(/<source number="(\d+)"[^>]*>\n- ([^\n]+)/g);
    const claims = Array.from(sources, ([, number, text]) => ({ text, sources: [Number(number)] }));
    return JSON.stringify({ claims });
  }
  const claims = asked.matchAll(/^(\d+)\. (.+)$/gm);
  const report = Array.from(claims, ([, number = "", text = ""]) => `${text.replace(/[.:;]$/, "")} [${number}].`);
  return JSON.stringify({ report: report.join("\n\n"), contradictions: [] });
}
