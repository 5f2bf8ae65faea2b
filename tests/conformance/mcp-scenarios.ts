import { isDeepStrictEqual } from "node:util";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";

/** What a client needs to be asked in the scenarios. */
export const SCENARIO_CAPABILITIES: ClientCapabilities = { sampling: {}, elicitation: { form: {} } };

/** What the server said to a client beside its answers. */
interface Heard {
  readonly logged: string[];
  readonly asked: { readonly message: string; readonly schema: Readonly<Record<string, Field>> }[];
}

type Field = Readonly<Record<string, unknown>>;

/** A scenario by the official runner's name: what must be so, each in a sentence. */
interface Scenario {
  readonly name: string;
  /** The newer revision has no such request. */
  readonly isOlderOnly?: boolean;
  readonly run: (client: Client, heard: Heard) => Promise<Readonly<Record<string, boolean>>>;
}

/**
 * The official runner's server scenarios, asked by a client that has connected: the runner itself speaks one revision and one
 * transport. What only HTTP has (its streams, its Host header) stays with the runner. Tells what is not as it must be.
 */
export async function runScenarios(client: Client): Promise<{ readonly ran: number; readonly faults: string[] }> {
  const heard: Heard = { logged: [], asked: [] };
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.logged.push(String(params.data)));
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    content: { type: "text", text: "A sampled answer" },
    model: "test-model",
    stopReason: "endTurn",
  }));
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const schema = "requestedSchema" in params ? (params.requestedSchema.properties as Record<string, Field>) : {};
    heard.asked.push({ message: params.message, schema });
    return { action: "accept", content: { username: "ada", email: "ada@example.com" } };
  });
  const isNew = client.getNegotiatedProtocolVersion() === "2026-07-28";
  const chosen = SCENARIOS.filter(({ isOlderOnly }) => isOlderOnly !== true || !isNew);
  const faults: string[] = [];
  for (const { name, run } of chosen) {
    try {
      const facts = Object.entries(await run(client, heard));
      faults.push(...facts.flatMap(([fact, isSo]) => (isSo ? [] : [`${name}: not so that ${fact}`])));
    } catch (error) {
      faults.push(`${name}: ${String(error)}`);
    }
  }
  return { ran: chosen.length, faults };
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "server-initialize",
    run: (client) =>
      Promise.resolve({
        "the server names itself": client.getServerVersion()?.name === "quarry",
        "it has tools, resources and prompts": ["tools", "resources", "prompts"].every(
          (part) => part in (client.getServerCapabilities() ?? {}),
        ),
      }),
  },
  { name: "ping", isOlderOnly: true, run: async (client) => ({ "it answers": isEmpty(await client.ping()) }) },
  {
    name: "tools-list",
    run: async (client) => {
      const { tools } = await client.listTools();
      return {
        "there are tools": tools.length > 0,
        "each has a name, a description and a schema": tools.every(
          ({ name, description = "", inputSchema }) =>
            name !== "" && description !== "" && Object.hasOwn(inputSchema, "type"),
        ),
      };
    },
  },
  {
    name: "json-schema-2020-12",
    run: async (client) => {
      const { tools } = await client.listTools();
      const { inputSchema } = tools.find(({ name }) => name === "json_schema_2020_12_tool") ?? {};
      return {
        "$schema is kept": inputSchema?.["$schema"] === "https://json-schema.org/draft/2020-12/schema",
        "$defs are kept": isDeepStrictEqual(Object.keys(inputSchema?.["$defs"] ?? {}), ["address"]),
        "additionalProperties is kept": inputSchema?.["additionalProperties"] === false,
      };
    },
  },
  content("tools-call-simple-text", "test_simple_text", ["text"]),
  content("tools-call-image", "test_image_content", ["image"]),
  content("tools-call-audio", "test_audio_content", ["audio"]),
  content("tools-call-embedded-resource", "test_embedded_resource", ["resource"]),
  content("tools-call-mixed-content", "test_multiple_content_types", ["text", "image", "resource"]),
  {
    name: "tools-call-with-logging",
    run: async (client, { logged }) => {
      const isNew = client.getNegotiatedProtocolVersion() === "2026-07-28";
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- how the older revision is told the level
      if (!isNew) await client.setLoggingLevel("info");
      const level = { "io.modelcontextprotocol/logLevel": "info" }; // and the newer, with each request
      await client.callTool({ name: "test_tool_with_logging", ...(isNew && { _meta: level }) });
      const wanted = ["Tool execution started", "Tool processing data", "Tool execution completed"];
      return { "three lines come, in order": isDeepStrictEqual(logged.slice(-3), wanted) };
    },
  },
  {
    name: "tools-call-error",
    run: async (client) => {
      const { isError, content: said } = await client.callTool({ name: "test_error_handling" });
      return { "the result is an error": isError === true, "it says which": JSON.stringify(said).includes("error") };
    },
  },
  {
    name: "tools-call-with-progress",
    run: async (client) => {
      const steps: number[] = [];
      const onprogress = ({ progress }: { readonly progress: number }) => void steps.push(progress);
      await client.callTool({ name: "test_tool_with_progress" }, { onprogress });
      // The client forgets whom to tell as soon as the answer is there: of what comes with it in one piece it tells nothing.
      const isInOrder = steps.length >= 2 && isDeepStrictEqual(steps, [0, 50, 100].slice(0, steps.length));
      return { "0, 50 and 100 come, in order": isInOrder };
    },
  },
  {
    name: "tools-call-sampling",
    run: async (client) => {
      const made = await client.callTool({ name: "test_sampling", arguments: { prompt: "Say something" } });
      return { "the client's answer is used": JSON.stringify(made.content).includes("A sampled answer") };
    },
  },
  {
    name: "tools-call-elicitation",
    run: async (client, { asked }) => {
      const made = await client.callTool({ name: "test_elicitation", arguments: { message: "Who are you?" } });
      return {
        "the person is asked": asked.at(-1)?.message === "Who are you?",
        "the answer is used": JSON.stringify(made.content).includes("ada@example.com"),
      };
    },
  },
  {
    name: "elicitation-sep1034-defaults",
    run: async (client, { asked }) => {
      await client.callTool({ name: "test_elicitation_sep1034_defaults" });
      const { name, age, score, status, verified } = asked.at(-1)?.schema ?? {};
      const defaults = [name, age, score, status, verified].map((field) => field?.["default"]);
      return { "every kind has its default": isDeepStrictEqual(defaults, ["John Doe", 30, 95.5, "active", true]) };
    },
  },
  {
    name: "elicitation-sep1330-enums",
    run: async (client, { asked }) => {
      await client.callTool({ name: "test_elicitation_sep1330_enums" });
      const { untitledSingle, titledSingle, legacyEnum, untitledMulti, titledMulti } = asked.at(-1)?.schema ?? {};
      return {
        "plain choices come": isDeepStrictEqual(untitledSingle?.["enum"], ["option1", "option2", "option3"]),
        "choices with titles come": Array.isArray(titledSingle?.["oneOf"]),
        "the old form comes": Array.isArray(legacyEnum?.["enumNames"]),
        "several of them may be chosen": "enum" in items(untitledMulti) && "anyOf" in items(titledMulti),
      };
    },
  },
  {
    name: "logging-set-level",
    isOlderOnly: true,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the request this scenario is about
    run: async (client) => ({ "it answers": isEmpty(await client.setLoggingLevel("warning")) }),
  },
  {
    name: "completion-complete",
    run: async (client) => {
      const ref = { type: "ref/prompt", name: "workflows" } as const;
      const { completion } = await client.complete({ ref, argument: { name: "workflow", value: "retr" } });
      return { "values come": completion.values.length === 3 };
    },
  },
  {
    name: "resources-list",
    run: async (client) => {
      const { resources } = await client.listResources();
      return {
        "each has a uri and a name":
          resources.length > 0 && resources.every(({ uri, name }) => uri !== "" && name !== ""),
      };
    },
  },
  resource("resources-read-text", "test://static-text", { text: "This is the content of the static text resource." }),
  resource("resources-read-binary", "test://static-binary", { mimeType: "image/png" }),
  resource("resources-templates-read", "test://template/123/data", { mimeType: "application/json" }),
  {
    name: "resources-subscribe",
    isOlderOnly: true,
    run: async (client) => {
      const watched = { uri: "test://watched-resource" };
      return {
        "subscribing answers": isEmpty(await client.subscribeResource(watched)),
        "unsubscribing answers": isEmpty(await client.unsubscribeResource(watched)),
      };
    },
  },
  {
    name: "prompts-list",
    run: async (client) => {
      const { prompts } = await client.listPrompts();
      return {
        "each has a name and a description": prompts.every(
          ({ name, description = "" }) => name !== "" && description !== "",
        ),
      };
    },
  },
  prompt("prompts-get-simple", { name: "test_simple_prompt" }, '"text"'),
  prompt(
    "prompts-get-with-args",
    { name: "test_prompt_with_arguments", arguments: { arg1: "hello", arg2: "world" } },
    "arg1='hello', arg2='world'",
  ),
  prompt(
    "prompts-get-embedded-resource",
    { name: "test_prompt_with_embedded_resource", arguments: { resourceUri: "test://example-resource" } },
    '"uri":"test://example-resource"',
  ),
  prompt("prompts-get-with-image", { name: "test_prompt_with_image" }, '"mimeType":"image/png"'),
];

function content(name: string, tool: string, kinds: readonly string[]): Scenario {
  return {
    name,
    run: async (client) => {
      const { content: said, isError = false } = await client.callTool({ name: tool });
      return {
        "it succeeds": !isError,
        [`it holds ${kinds.join(", ")}`]: isDeepStrictEqual(
          said.map(({ type }) => type),
          kinds,
        ),
      };
    },
  };
}

function resource(name: string, uri: string, wanted: Readonly<Record<string, string>>): Scenario {
  return {
    name,
    run: async (client) => {
      const [first] = (await client.readResource({ uri })).contents;
      const has = Object.entries(wanted).every(([key, value]) => (first as Field | undefined)?.[key] === value);
      return { "its address stands with it": first?.uri === uri, "its content comes": has };
    },
  };
}

function prompt(name: string, params: Parameters<Client["getPrompt"]>[0], wanted: string): Scenario {
  return {
    name,
    run: async (client) => ({
      [`it says ${wanted}`]: JSON.stringify((await client.getPrompt(params)).messages).includes(wanted),
    }),
  };
}

function items(field: Field | undefined): object {
  const inner = field?.["items"];
  return typeof inner === "object" && inner !== null ? inner : {};
}

function isEmpty(result: object): boolean {
  return Object.keys(result).every((key) => key === "_meta");
}
