import { startTestModelServer, type TestModelServer } from "@quarry/models/testing";
import { verifies } from "@quarry/tests";
import { Exa } from "exa-js";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const DOCUMENTS = [
  {
    url: "https://bridge.example/history",
    title: "The Brooklyn Bridge",
    author: "A historian",
    publishedDate: "2024-05-01T00:00:00.000Z",
    text: "The Brooklyn Bridge was opened on 24 May 1883. Emily Roebling led the work on the bridge for fourteen years. The towers are built of granite.",
  },
  {
    url: "https://river.example/crossings",
    title: "Crossings of the East River",
    text: "The East River is crossed by the Brooklyn Bridge, which spans 486 metres. Ferries run at night as well.",
  },
  {
    url: "https://cake.example/plum",
    title: "Plum cake",
    text: "Halve the plums, remove the stones and bake the cake for forty minutes at 180 degrees.",
  },
];
const QUESTION = "When was the Brooklyn Bridge opened?";
/** System prompts by which the scripted model does not finish. */
const NEVER_ENDS = "Take for ever.";
const BREAKS_OFF = "Break off.";

let server: ServerProcess;
let modelServer: TestModelServer;
let withModel: ServerProcess;
let finish: () => void;
let running: Promise<unknown>;

beforeAll(async () => {
  modelServer = await startTestModelServer(({ body }, response) => {
    const messages = JSON.stringify(body["messages"]);
    const reply = replyTo(messages);
    const usage = { prompt_tokens: 50, completion_tokens: 10 };
    if (body["stream"] !== true) {
      const choices = [{ message: { role: "assistant", content: reply }, finish_reason: "stop" }];
      response.end(JSON.stringify({ choices, usage }));
      return;
    }
    for (const content of reply.match(/.{1,9}/gs) ?? []) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: null }] })}\n\n`);
    }
    if (messages.includes(NEVER_ENDS)) return;
    if (messages.includes(BREAKS_OFF)) return void response.end();
    response.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((ready, refuse) => {
    running = withDataDirectory((one) =>
      withDataDirectory(async (other) => {
        server = await startServerProcess(one);
        withModel = await startServerProcess(other, { QUARRY_LLM_URL: modelServer.url, QUARRY_LLM_MODEL: "scripted" });
        for (const each of [server, withModel]) {
          const posted = await each.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS);
          expect(posted.status).toBe(200);
        }
        ready();
        await new Promise<void>((done) => (finish = done));
        await Promise.all([server.stop(), withModel.stop()]);
      }),
    );
    running.catch(refuse);
  });
}, 180_000);

afterAll(async () => {
  finish();
  await running;
  await modelServer.close();
}, 60_000);

function streamAnswer(to: ServerProcess, more: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${to.url}/answer`, {
    method: "POST",
    headers: { "x-api-key": to.key, "content-type": "application/json" },
    body: JSON.stringify({ query: QUESTION, stream: true, ...more }),
    signal,
  });
}

/** A model that plans, notes and writes by rote. */
function replyTo(messages: string): string {
  if (messages.includes("You plan research")) {
    const isFirst = messages.includes("Known so far:\\nnothing");
    return JSON.stringify({ reasoning: "One thing to know.", tasks: isFirst ? [QUESTION] : [] });
  }
  if (messages.includes("You take notes")) {
    return JSON.stringify({ claims: [{ text: "The Brooklyn Bridge was opened on 24 May 1883.", sources: [1] }] });
  }
  if (messages.includes("You write a report")) {
    return JSON.stringify({ report: "The Brooklyn Bridge was opened on 24 May 1883 [1].", contradictions: [] });
  }
  if (messages.includes("You fill a JSON object")) return '{"opened": "24 May 1883"}';
  return "The Brooklyn Bridge was opened on 24 May 1883 [1]. It was torn down in 1990 [1].";
}

describe("exa-js", () => {
  verifies(
    [
      "answer:exa-js:answer",
      "answer:reply:shape",
      "answer:reply:citation-keys",
      "answer:reply:text-only-when-asked",
      "answer:request:text",
      "answer:request:model",
      "answer:extractive:says-mode",
      "models:absent:normal",
    ],
    "answers from the index without a model",
    async () => {
      const exa = new Exa(server.key, server.url);
      const reply = await exa.answer(QUESTION);
      expect(reply).toMatchObject({
        requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        answer: expect.stringContaining("The Brooklyn Bridge was opened on 24 May 1883.") as string,
        costDollars: { total: 0 },
        quarry: { mode: "extractive" },
      });
      expect(reply.citations[0]).toEqual({
        id: "https://bridge.example/history",
        url: "https://bridge.example/history",
        title: "The Brooklyn Bridge",
        author: "A historian",
        publishedDate: "2024-05-01T00:00:00.000Z",
      });
      const withText = await server.call("POST", "/answer", { query: QUESTION, text: true, model: "exa-pro" });
      expect(withText.body).toMatchObject({
        citations: [{ text: expect.stringContaining("Emily Roebling") as string }],
      });
    },
  );

  verifies(
    ["answer:exa-js:stream-answer", "answer:stream:chunks", "answer:stream:citations-after"],
    "streams an answer",
    async () => {
      const exa = new Exa(server.key, server.url);
      let text = "";
      let cited = 0;
      for await (const chunk of exa.streamAnswer(QUESTION)) {
        if (chunk.content !== undefined) {
          expect(cited).toBe(0);
          text += chunk.content;
        }
        cited += chunk.citations?.length ?? 0;
      }
      expect(text).toContain("opened on 24 May 1883.");
      expect(cited).toBeGreaterThan(0);
    },
  );

  verifies(
    [
      "research:exa-js:create-get-list",
      "research:exa-js:poll",
      "research:dto:completed",
      "research:dto:dates-are-numbers",
      "research:events:only-when-asked",
    ],
    "begins a research task, waits for it and lists it",
    async () => {
      const exa = new Exa(server.key, server.url);
      const begun = await exa.research.create({ instructions: QUESTION, model: "exa-research-fast" });
      expect(begun).toMatchObject({ status: "pending", model: "exa-research-fast", instructions: QUESTION });
      expect(begun).not.toHaveProperty("events");
      const done = await exa.research.pollUntilFinished(begun.researchId, { events: true });
      expect(done).toMatchObject({
        status: "completed",
        finishedAt: expect.any(Number) as number,
        costDollars: { total: 0, numSearches: 1, numPages: 1, reasoningTokens: 0 },
      });
      if (done.status !== "completed") throw new Error("not completed");
      expect(done.output.content).toContain("The Brooklyn Bridge was opened on 24 May 1883.");
      expect(done.events?.[0]).toMatchObject({ eventType: "research-definition", researchId: begun.researchId });
      const listed = await exa.research.list({ limit: 5 });
      expect(listed.data.map(({ researchId }) => researchId)).toContain(begun.researchId);
      expect(await exa.research.get(begun.researchId)).not.toHaveProperty("events");
    },
    60_000,
  );

  verifies(
    ["research:exa-js:stream", "research:sse:replay", "research:sse:ends"],
    "follows a research task from its start to its end",
    async () => {
      const exa = new Exa(withModel.key, withModel.url);
      const begun = await exa.research.create({
        instructions: "Tell when the bridge was opened.",
        model: "exa-research-fast",
      });
      const follow = async (): Promise<readonly string[]> => {
        const types: string[] = [];
        const events = await exa.research.get(begun.researchId, { stream: true, events: true });
        for await (const event of events) types.push(event.eventType);
        return types;
      };
      const live = await follow();
      expect(live[0]).toBe("research-definition");
      expect(live.at(-1)).toBe("research-output");
      expect(await follow()).toEqual(live);
      const done = await exa.research.get(begun.researchId);
      expect(done).toMatchObject({ status: "completed", costDollars: { reasoningTokens: 180 } });
    },
    60_000,
  );

  verifies(
    "answer:request:system-prompt",
    "answers by the model when one is set, and drops what nothing supports",
    async () => {
      const exa = new Exa(withModel.key, withModel.url);
      const reply = await exa.answer(QUESTION, { systemPrompt: "Be brief." });
      expect(reply).toMatchObject({
        answer: "The Brooklyn Bridge was opened on 24 May 1883.",
        quarry: { mode: "model" },
      });
      expect(JSON.stringify(modelServer.seen.at(-1)?.body)).toContain("Be brief.");
      const schema = { type: "object", properties: { opened: { type: "string" } }, required: ["opened"] };
      expect(await exa.answer(QUESTION, { outputSchema: schema })).toMatchObject({ answer: { opened: "24 May 1883" } });
    },
  );
});

describe("exa-js agent runs", () => {
  verifies(
    ["agent-runs:exa-js:runs", "agent-runs:create:sse", "agent-runs:run:grounding"],
    "begins a run, waits for it, lists it and its events, streams one, and deletes it",
    async () => {
      const exa = new Exa(server.key, server.url);
      const outputSchema = { type: "object", properties: { opened: { type: "string", format: "date" } } };
      const begun = await exa.agent.runs.create({ query: QUESTION, effort: "low", outputSchema });
      expect(begun).toMatchObject({ object: "agent_run", status: "queued" });
      const done = await exa.agent.runs.pollUntilFinished(begun.id);
      expect(done).toMatchObject({
        status: "completed",
        stopReason: "schema_satisfied",
        output: {
          structured: { opened: "1883-05-24" },
          grounding: [{ field: "opened", citations: [{ url: "https://bridge.example/history" }] }],
        },
      });
      expect((await exa.agent.runs.list({ limit: 5 })).data.map(({ id }) => id)).toContain(begun.id);
      const names = (await exa.agent.runs.events.list(begun.id)).data.map(({ event }) => event);
      expect([names[0], names.at(-1)]).toEqual(["agent_run.created", "agent_run.completed"]);
      const streamed: string[] = [];
      const events = await exa.agent.runs.create({ query: QUESTION, effort: "minimal", stream: true });
      for await (const { event } of events) streamed.push(event);
      expect([streamed[0], streamed.at(-1)]).toEqual(["agent_run.created", "agent_run.completed"]);
      expect(await exa.agent.runs.delete(begun.id)).toMatchObject({ id: begun.id, deleted: true });
      await expect(exa.agent.runs.get(begun.id)).rejects.toThrow("there is no agent run");
    },
    60_000,
  );
});

describe("on the wire", () => {
  verifies(["answer:stream:framing", "answer:stream:cost-last"], "frames a streamed answer as Exa does", async () => {
    const reply = await streamAnswer(server, {});
    expect(reply.status).toBe(200);
    const frames = (await reply.text()).split("\n\n").filter((frame) => frame !== "");
    for (const frame of frames) expect(frame).toMatch(/^data: (?:\{.*\}|\[DONE\])$/);
    const payloads = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)) as Record<string, unknown>);
    expect(frames.at(-1)).toBe("data: [DONE]");
    expect(payloads.at(-1)).toMatchObject({ costDollars: { total: 0 }, requestId: expect.any(String) as string });
    expect(payloads.at(-2)).toHaveProperty("citations");
    expect(payloads.at(-3)).toEqual({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  });

  verifies("answer:stream:disconnect", "stops the model when the client leaves", async () => {
    const before = modelServer.abandoned();
    const stop = new AbortController();
    const reply = await streamAnswer(withModel, { systemPrompt: NEVER_ENDS }, stop.signal);
    const first = await reply.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain("The Brooklyn Bridge was opened on 24 May 1883.");
    expect(modelServer.abandoned()).toBe(before);
    stop.abort();
    await expect.poll(() => modelServer.abandoned(), { timeout: 10_000 }).toBe(before + 1);
  });

  verifies("answer:stream:error-frame", "ends a stream that fails with the error frame", async () => {
    const text = await (await streamAnswer(withModel, { systemPrompt: BREAKS_OFF })).text();
    const frames = text.split("\n\n").filter((frame) => frame !== "");
    expect(frames[0]).toContain("The Brooklyn Bridge was opened on 24 May 1883.");
    expect(JSON.parse(frames.at(-1)?.slice(6) ?? "")).toEqual({
      tag: "ERROR",
      payload: {
        error: { code: 502, message: expect.stringContaining("broke off") as string },
        requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      },
    });
    expect(text).not.toContain('finish_reason":"stop');
  });

  verifies(
    ["answer:request:user-location", "models:absent:warning"],
    "takes a location, and says when what was asked for needs a language model",
    async () => {
      for (const userLocation of ["US", "DE"]) {
        const body = { query: QUESTION, userLocation, systemPrompt: "Answer in verse." };
        expect(await server.call("POST", "/answer", body)).toMatchObject({
          status: 200,
          body: {
            answer: expect.stringContaining("24 May 1883") as string,
            quarry: { warnings: [{ code: "no_model" }] },
          },
        });
      }
    },
  );

  verifies(
    ["research:sse:two-line-frames", "research:sse:no-id-line", "research:run:cancel-twice", "research:v0:tasks"],
    "frames research in two lines, cancels once, and serves the old form",
    async () => {
      const begun = await server.call("POST", "/research/v1", { instructions: QUESTION });
      expect(begun.status).toBe(201);
      const { researchId } = begun.body as { researchId: string };
      const text = await (
        await fetch(`${server.url}/research/v1/${researchId}?stream=true`, { headers: { "x-api-key": server.key } })
      ).text();
      for (const frame of text.split("\n\n").slice(0, -1)) expect(frame).toMatch(/^event: [a-z-]+\ndata: \{.*\}$/);
      const canceled = await server.call("POST", `/quarry/v1/research/${researchId}/cancel`);
      expect(await server.call("POST", `/quarry/v1/research/${researchId}/cancel`)).toEqual(canceled);
      const old = await server.call("POST", "/research/v0/tasks", {
        instructions: QUESTION,
        output: { inferSchema: true },
      });
      const { id } = old.body as { id: string };
      expect((await server.call("GET", `/research/v0/tasks/${id}`)).body).toMatchObject({ id, instructions: QUESTION });
    },
    60_000,
  );

  verifies(
    [
      "answer:request:query",
      "research:create:instructions-required",
      "research:create:instructions-length",
      "research:create:unknown-model",
      "research:create:bad-schema",
      "research:get:unknown",
      "research:create:201",
    ],
    "answers bad input with the field and what to do",
    async () => {
      const cases: readonly (readonly [string, unknown, number, string])[] = [
        ["/answer", { query: "" }, 400, "query"],
        ["/answer", { query: "q", model: "gpt" }, 400, "model"],
        ["/answer", { query: "q", outputSchema: { type: "nothing" } }, 400, "schema"],
        ["/research/v1", { instructions: "  " }, 400, "instructions"],
        ["/research/v1", { instructions: "x".repeat(50_001) }, 400, "instructions"],
        ["/research/v1", { instructions: "q", model: "exa" }, 400, "model"],
        ["/research/v1", { instructions: "q", outputSchema: { $ref: "https://x.example" } }, 400, "schema"],
      ];
      for (const [route, body, status, word] of cases) {
        const reply = await server.call("POST", route, body);
        expect(reply.status, route).toBe(status);
        expect((reply.body as { error: string }).error.toLowerCase()).toContain(word);
      }
      expect((await server.call("GET", "/research/v1/research_nothing")).status).toBe(404);
    },
  );

  verifies("answer:citations:quote-in-snapshot", "shows quotes that stand in the stored text", async () => {
    const reply = await server.call("POST", "/answer", { query: QUESTION, quarry: { evidence: true } });
    const { quarry } = reply.body as {
      quarry: { sentences: { references: { url: string; snippet: string; start: number; end: number }[] }[] };
    };
    expect(quarry.sentences.length).toBeGreaterThan(0);
    for (const { url, snippet, start, end } of quarry.sentences.flatMap(({ references }) => references)) {
      expect(DOCUMENTS.find((document) => document.url === url)?.text.slice(start, end)).toBe(snippet);
    }
  });

  verifies("answer:nothing-found:honest", "says so when the pages do not answer", async () => {
    const reply = await server.call("POST", "/answer", { query: "Wie hoch ist der Kilimandscharo?" });
    expect(reply.body).toMatchObject({ answer: "The indexed pages do not answer this question.", citations: [] });
  });

  verifies(
    ["openai:responses:create", "openai:responses:json-schema", "openai:responses:stream"],
    "answers as OpenAI's responses do, in text, by a schema and streamed",
    async () => {
      const input = [{ role: "user", content: [{ type: "input_text", text: QUESTION }] }];
      const made = await withModel.call("POST", "/responses", {
        model: "exa-agent",
        input,
        reasoning: { effort: "low" },
      });
      expect(made.body).toMatchObject({
        status: "completed",
        output_text: expect.stringContaining("The Brooklyn Bridge was opened on 24 May 1883.") as string,
        output: [{ content: [{ annotations: [{ url: "https://bridge.example/history" }] }] }],
      });
      const schema = { type: "object", properties: { opened: { type: "string" } }, required: ["opened"] };
      const format = { type: "json_schema", name: "opened", schema };
      const filled = await withModel.call("POST", "/responses", { input: QUESTION, text: { format } });
      expect(filled.body).toMatchObject({ output_text: '{"opened":"24 May 1883"}' });
      const streamed = await fetch(`${withModel.url}/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${withModel.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "exa-agent", input: QUESTION, stream: true }),
      });
      const frames = (await streamed.text()).split("\n\n").filter((frame) => frame !== "");
      const events = frames.map(
        (frame) => JSON.parse(frame.split("\ndata: ")[1] ?? "") as { type: string; delta?: string },
      );
      expect([events[0]?.type, events.at(-1)?.type]).toEqual(["response.created", "response.completed"]);
      expect(events.map(({ delta = "" }) => delta).join("")).toContain("opened on 24 May 1883.");
    },
    60_000,
  );

  verifies(
    [
      "openai:chat:answers-last-message",
      "openai:chat:citations",
      "openai:chat:models",
      "openai:chat:stream",
      "openai:chat:text",
    ],
    "answers in OpenAI's form, whole and streamed",
    async () => {
      const messages = [
        { role: "user", content: "What is a plum cake?" },
        { role: "assistant", content: "A cake." },
        { role: "user", content: [{ type: "text", text: QUESTION }] },
      ];
      for (const model of ["exa", "exa-pro", "exa-research", "exa-research-pro"]) {
        const reply = await server.call("POST", "/chat/completions", { model, messages, extra_body: { text: true } });
        expect(reply.body).toMatchObject({
          object: "chat.completion",
          model,
          choices: [
            {
              finish_reason: "stop",
              message: {
                role: "assistant",
                content: expect.stringContaining("24 May 1883") as string,
                citations: [{ text: expect.stringContaining("Emily") as string }],
              },
            },
          ],
        });
      }
      const streamed = await fetch(`${server.url}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "exa", messages, stream: true }),
      });
      const frames = (await streamed.text()).split("\n\n").filter((frame) => frame !== "");
      const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)) as Record<string, unknown>);
      expect(frames.at(-1)).toBe("data: [DONE]");
      expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "stop" }], citations: [{}] });
      expect((await server.call("POST", "/chat/completions", { model: "exa", messages: [] })).status).toBe(400);
      const tooLong = [{ role: "user", content: "x".repeat(20_001) }];
      expect(await server.call("POST", "/chat/completions", { model: "exa", messages: tooLong })).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^messages: .* at most 20000 characters, received 20001$/) as string },
      });
    },
  );

  verifies(
    ["context:reply:shape", "context:request:query", "context:request:tokens-num", "context:sse:never-unasked"],
    "collects context as Markdown",
    async () => {
      const reply = await server.call("POST", "/context", { query: QUESTION, tokensNum: 60 });
      expect(reply.body).toEqual({
        requestId: expect.any(String) as string,
        query: QUESTION,
        response: expect.stringContaining("https://bridge.example/history") as string,
        resultsCount: expect.any(Number) as number,
        costDollars: { total: 0, search: { neural: 0 } },
        searchTime: expect.any(Number) as number,
        outputTokens: expect.any(Number) as number,
      });
      expect((reply.body as { outputTokens: number }).outputTokens).toBeLessThanOrEqual(60);
      for (const body of [{ query: "" }, { query: "x".repeat(2_001) }, { query: "q", tokensNum: 49 }]) {
        expect((await server.call("POST", "/context", body)).status).toBe(400);
      }
    },
  );
});
