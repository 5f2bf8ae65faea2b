import { sleep } from "@quarry/base";
import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** What the official conformance runner expects a server to offer; shown with QUARRY_MCP_CONFORMANCE=1 alone. */
export interface FixtureSet {
  readonly tools: readonly FixtureTool[];
  readonly resources: { uri: string; name: string; mimeType: string }[];
  readonly templates: { uriTemplate: string; name: string; mimeType: string }[];
  readonly prompts: { name: string; description: string; arguments: { name: string; required: boolean }[] }[];
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ) => Promise<CallToolResult | InputRequiredResult> | undefined;
  readonly read: (uri: string) => FixtureContents | undefined;
  readonly prompt: (name: string, args: Readonly<Record<string, string>>) => GetPromptResult | undefined;
}

interface FixtureTool {
  name: string;
  description: string;
  inputSchema: { [key: string]: unknown; type: "object" };
}
type FixtureContents = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/** A red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without sound. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const PAUSE_MS = 50;
const RECONNECT_MS = 100;

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

type Run = (
  args: Readonly<Record<string, unknown>>,
  context: ServerContext,
) => Promise<CallToolResult | InputRequiredResult>;

const runs: Readonly<Record<string, Run>> = {
  test_simple_text: () => Promise.resolve(text("This is a simple text response for testing.")),
  test_image_content: () => Promise.resolve({ content: [image] }),
  test_audio_content: () => Promise.resolve({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => Promise.resolve({ content: [embedded("test://embedded-resource")] }),
  test_multiple_content_types: () =>
    Promise.resolve({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        embedded("test://mixed-content-resource"),
      ],
    }),
  test_tool_with_logging: async (_, { mcpReq }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- what this fixture is there to show
      await mcpReq.log("info", line);
      await sleep(PAUSE_MS, mcpReq.signal);
    }
    return text("Tool with logging executed successfully");
  },
  test_error_handling: () =>
    Promise.resolve({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  test_tool_with_progress: async (_, { mcpReq }) => {
    for (const progress of [0, 50, 100]) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      }
      await sleep(PAUSE_MS, mcpReq.signal);
    }
    return text("Tool with progress executed successfully");
  },
  test_reconnection: async (_, { http, mcpReq }) => {
    await sleep(RECONNECT_MS, mcpReq.signal);
    http?.closeSSE?.();
    await sleep(RECONNECT_MS, mcpReq.signal);
    return text(
      "Reconnection test completed successfully. If you received this, the client properly reconnected after stream closure.",
    );
  },
  test_sampling: (args, context) =>
    Promise.resolve(
      answered(context, (view) =>
        view.kind === "sampling" ? `LLM response: ${JSON.stringify(view.result.content)}` : undefined,
      ) ??
        inputRequired({
          inputRequests: {
            answer: inputRequired.createMessage({
              messages: [{ role: "user", content: { type: "text", text: String(args["prompt"]) } }],
              maxTokens: 100,
            }),
          },
        }),
    ),
  test_elicitation: (args, context) =>
    elicit(context, String(args["message"]), {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    }),
  test_elicitation_sep1034_defaults: (_, context) =>
    elicit(context, "Please review and update the form fields with defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  test_elicitation_sep1330_enums: (_, context) =>
    elicit(context, "Please select options from the enum fields", {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: titled("value", "Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled("value", "Choice") } },
    }),
  json_schema_2020_12_tool: (args) =>
    Promise.resolve(text(`JSON Schema 2020-12 tool called with ${JSON.stringify(args)}`)),
};

const schemas: Readonly<Record<string, FixtureTool["inputSchema"]>> = {
  test_sampling: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  test_elicitation: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
};

/** The fixtures of the runner, as plain data and functions. */
export function addConformanceFixtures(): FixtureSet {
  return {
    tools: Object.keys(runs).map((name) => ({
      name,
      description: `Fixture of the conformance runner: ${name}`,
      inputSchema: schemas[name] ?? { type: "object" },
    })),
    resources: [
      { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
      { uri: "test://watched-resource", name: "Watched resource", mimeType: "text/plain" },
    ],
    templates: [{ uriTemplate: "test://template/{id}/data", name: "Template", mimeType: "application/json" }],
    prompts: [
      { name: "test_simple_prompt", description: "A simple prompt", arguments: [] },
      { name: "test_prompt_with_arguments", description: "A prompt with arguments", arguments: needed("arg1", "arg2") },
      { name: "test_prompt_with_embedded_resource", description: "With a resource", arguments: needed("resourceUri") },
      { name: "test_prompt_with_image", description: "With an image", arguments: [] },
    ],
    call: (name, args, context) => (Object.hasOwn(runs, name) ? runs[name]?.(args, context) : undefined),
    read: readFixture,
    prompt: promptFixture,
  };
}

function readFixture(uri: string): FixtureContents | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: "application/json", text: JSON.stringify(data) };
  }
  switch (uri) {
    case "test://static-text":
      return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
    case "test://static-binary":
      return { uri, mimeType: "image/png", blob: PNG };
    case "test://watched-resource":
      return { uri, mimeType: "text/plain", text: "Watched resource content" };
    default:
      return undefined;
  }
}

function promptFixture(name: string, args: Readonly<Record<string, string>>): GetPromptResult | undefined {
  const say = (value: string) => ({ role: "user" as const, content: { type: "text" as const, text: value } });
  switch (name) {
    case "test_simple_prompt":
      return { messages: [say("This is a simple prompt for testing.")] };
    case "test_prompt_with_arguments":
      return { messages: [say(`Prompt with arguments: arg1='${args["arg1"] ?? ""}', arg2='${args["arg2"] ?? ""}'`)] };
    case "test_prompt_with_embedded_resource":
      return {
        messages: [
          { role: "user", content: embedded(args["resourceUri"] ?? "test://example-resource") },
          say("Please process the embedded resource above."),
        ],
      };
    case "test_prompt_with_image":
      return { messages: [{ role: "user", content: image }, say("Please analyze the image above.")] };
    default:
      return undefined;
  }
}

function embedded(uri: string) {
  const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
  return { type: "resource" as const, resource };
}

function titled(value: string, title: string): { const: string; title: string }[] {
  return ["First", "Second", "Third"].map((place, index) => ({
    const: `${value}${index + 1}`,
    title: `${place} ${title}`,
  }));
}

function needed(...names: readonly string[]): { name: string; required: boolean }[] {
  return names.map((name) => ({ name, required: true }));
}

function elicit(
  context: ServerContext,
  message: string,
  properties: Parameters<typeof inputRequired.elicit>[0]["requestedSchema"] extends infer S
    ? S extends { properties: infer P }
      ? P
      : never
    : never,
): Promise<CallToolResult | InputRequiredResult> {
  const made = answered(context, (view) =>
    view.kind === "elicit"
      ? `Elicitation completed: action=${view.action}, content=${JSON.stringify(view.content ?? {})}`
      : undefined,
  );
  const requestedSchema = { type: "object" as const, properties };
  return Promise.resolve(
    made ?? inputRequired({ inputRequests: { answer: inputRequired.elicit({ message, requestedSchema }) } }),
  );
}

function answered(
  { mcpReq }: ServerContext,
  show: (view: ReturnType<typeof inputResponse>) => string | undefined,
): CallToolResult | undefined {
  const line = show(inputResponse(mcpReq.inputResponses, "answer"));
  return line === undefined ? undefined : text(line);
}
