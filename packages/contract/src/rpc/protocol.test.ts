import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import {
  create,
  fromBinary,
  fromJson,
  ScalarType,
  toBinary,
  toJson,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { ExaSearchArgsSchema } from "./gen/agent/v1/exa_search_tool_pb.ts";
import { ToolCallSchema } from "./gen/agent/v1/agent_pb.ts";
import { ClientSideToolV2, ClientSideToolV2CallSchema, ClientSideToolV2Schema } from "./gen/aiserver/v1/tools_pb.ts";
import { protocolMessage, protocolRegistry } from "./protocol-registry.ts";

interface Pins {
  readonly seed: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly real: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const here = import.meta.dirname;
const pins = JSON.parse(readFileSync(path.join(here, "fixtures", "pins.json"), "utf8")) as Pins;
const run = promisify(execFile);
const root = path.resolve(here, "..", "..", "..", "..");

/** A field as the pins write it: number, label, type, oneof. */
function describeField(field: DescField): string {
  const isOptional = field.fieldKind === "scalar" && field.oneof === undefined && field.proto.proto3Optional;
  const label = field.fieldKind === "list" ? "repeated" : isOptional ? "optional" : "";
  const oneof = field.oneof === undefined ? "" : `in ${field.oneof.name}`;
  return [String(field.number), label, typeOf(field), oneof].filter((word) => word !== "").join(" ");
}

function typeOf(field: DescField): string {
  if (field.fieldKind === "map")
    return `map<string, ${field.mapKind === "scalar" ? ScalarType[field.scalar].toLowerCase() : field.mapKind}>`;
  if (field.message !== undefined) return field.message.typeName;
  if (field.enum !== undefined) return field.enum.typeName;
  return ScalarType[field.scalar].toLowerCase();
}

function describeMessage(typeName: string, names: readonly string[]): Record<string, string | undefined> {
  const fields = protocolMessage(typeName).fields;
  return Object.fromEntries(
    names.map((name) => {
      const field = fields.find((candidate) => candidate.name === name);
      return [name, field && describeField(field)];
    }),
  );
}

describe("the pinned schema", () => {
  verifies("agent-protocol:schema:seed-pins", "has every message, field, number and type of the seeds", () => {
    expect(Object.keys(pins.seed)).toHaveLength(77);
    for (const [message, fields] of Object.entries(pins.seed)) {
      expect({ [message]: describeMessage(message, Object.keys(fields)) }).toEqual({ [message]: fields });
    }
    for (const [name, values] of Object.entries(pins.enums)) {
      const real = Object.fromEntries(protocolRegistry.getEnum(name)?.values.map((v) => [v.name, v.number]) ?? []);
      expect(real).toMatchObject(values);
    }
  });

  verifies("agent-protocol:schema:real-rows", "has the real schema where the notes differ from it", () => {
    for (const [message, fields] of Object.entries(pins.real)) {
      expect({ [message]: describeMessage(message, Object.keys(fields)) }).toEqual({ [message]: fields });
    }
    const names = (message: string): readonly string[] => protocolMessage(message).fields.map((field) => field.name);
    expect(names("aiserver.v1.RipgrepRawSearchParams")).not.toContain("case_sensitive");
    expect(names("aiserver.v1.ListDirV2Result")).toEqual(["directory_tree_root"]);
  });

  verifies("agent-protocol:schema:tool-enum", "has the tools' values, and keeps the unused ones free", () => {
    const numbers = ClientSideToolV2Schema.values.map((value) => value.number);
    expect(numbers).toHaveLength(new Set(numbers).size);
    const reserved = ClientSideToolV2Schema.proto.reservedRange.flatMap(({ start = 0, end = 0 }) =>
      Array.from({ length: end - start + 1 }, (_, index) => start + index),
    );
    expect(reserved).toEqual([2, 4, 10, 13, 14, 17, 20, 21, 22, 36, 37, 64]);
    expect([...numbers, ...reserved].sort((a, b) => a - b)).toEqual(Array.from({ length: 67 }, (_, index) => index));
    expect([ClientSideToolV2.WEB_SEARCH, ClientSideToolV2.WEB_FETCH, ClientSideToolV2.EDIT_FILE_V2]).toEqual([
      18, 57, 38,
    ]);
  });

  verifies(
    ["agent-protocol:schema:exa-messages", "agent-protocol:agent-twins:exa-26-27"],
    "has the 22 Exa messages, and ToolCall 26 and 27",
    () => {
      const names = (prefix: string, suffixes: readonly string[]): readonly string[] =>
        suffixes.map((suffix) => `agent.v1.${prefix}${suffix}`);
      const common = ["Args", "Result", "Success", "Error", "Rejected", "ToolCall", "RequestQuery", "RequestResponse"];
      const nested = ["RequestResponse.Approved", "RequestResponse.Rejected"];
      const all = [
        ...names("ExaSearch", [...common, ...nested, "Reference"]),
        ...names("ExaFetch", [...common, ...nested, "Content"]),
      ];
      expect(all).toHaveLength(22);
      for (const name of all) expect(protocolRegistry.getMessage(name)?.typeName).toBe(name);
      const search = create(ToolCallSchema, { tool: { case: "exaSearchToolCall", value: {} } });
      const fetch = create(ToolCallSchema, { tool: { case: "exaFetchToolCall", value: {} } });
      const tag = (number: number): readonly number[] => [
        ...new BinaryWriter().tag(number, WireType.LengthDelimited).finish(),
      ];
      expect([...toBinary(ToolCallSchema, search)]).toEqual([...tag(26), 0]);
      expect([...toBinary(ToolCallSchema, fetch)]).toEqual([...tag(27), 0]);
    },
  );
});

describe("the wire", () => {
  verifies(
    ["agent-protocol:schema:json-and-binary", "promises:t27:round-trip"],
    "carries every message filled to the brim both ways",
    () => {
      let count = 0;
      for (const message of allMessages()) {
        const filled = fill(message, 2);
        expect(fromBinary(message, toBinary(message, filled))).toEqual(filled);
        expect(fromJson(message, toJson(message, filled), { registry: protocolRegistry })).toEqual(filled);
        count += 1;
      }
      expect(count).toBeGreaterThan(700);
    },
  );

  verifies("agent-protocol:schema:unknown-members", "ignores what it does not know, and passes it on", () => {
    const known = create(ClientSideToolV2CallSchema, { toolCallId: "c1", name: "web_search" });
    const newer = new BinaryWriter()
      .raw(toBinary(ClientSideToolV2CallSchema, known))
      .tag(900, WireType.LengthDelimited)
      .string("from the future")
      .finish();
    const read = fromBinary(ClientSideToolV2CallSchema, newer);
    expect(read).toMatchObject({ toolCallId: "c1", name: "web_search" });
    expect(toBinary(ClientSideToolV2CallSchema, read)).toEqual(newer);
    const json = { query: "q", numResults: 3, mood: "new" };
    expect(fromJson(ExaSearchArgsSchema, json, { ignoreUnknownFields: true })).toMatchObject({ numResults: 3 });
  });
});

describe("the files", () => {
  const buf = (args: readonly string[], cwd = root): Promise<{ stdout: string; stderr: string }> =>
    run(path.join(root, "node_modules", ".bin", "buf"), [...args], {
      cwd,
      env: {
        ...process.env,
        PATH: `${path.join(root, "node_modules", ".bin")}${path.delimiter}${process.env["PATH"] ?? ""}`,
      },
    });

  verifies("agent-protocol:schema:buf-lint", "pass buf lint", async () => {
    await buf(["lint"]);
  });

  verifies("agent-protocol:schema:buf-breaking", "keep their word to clients, and a broken one is found", async () => {
    const against = path.join(root, "proto", "baseline.binpb");
    await buf(["breaking", "--against", against]);
    await inCopy(async (copy) => {
      const file = path.join(copy, "proto", "agent", "v1", "exa_search_tool.proto");
      writeFileSync(file, readFileSync(file, "utf8").replace("int32 num_results = 3;", "string num_results = 3;"));
      await expect(buf(["breaking", "--against", against], copy)).rejects.toMatchObject({
        stdout: expect.stringContaining("num_results") as unknown,
      });
    });
  });

  it("are what the committed code was generated from", async () => {
    await inCopy(async (copy) => {
      await buf(["generate", "-o", copy], copy);
      const made = path.join(copy, "packages", "contract", "src", "rpc", "gen");
      const kept = path.join(here, "gen");
      const list = (directory: string): readonly string[] =>
        readdirSync(directory, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".ts"))
          .sort();
      expect(list(kept)).toEqual(list(made));
      for (const name of list(made)) {
        expect(readFileSync(path.join(kept, name), "utf8") === readFileSync(path.join(made, name), "utf8"), name).toBe(
          true,
        );
      }
    });
  });

  async function inCopy(work: (copy: string) => Promise<void>): Promise<void> {
    const copy = mkdtempSync(path.join(tmpdir(), "quarry-proto-"));
    try {
      cpSync(path.join(root, "proto"), path.join(copy, "proto"), { recursive: true });
      for (const file of ["buf.yaml", "buf.gen.yaml"]) cpSync(path.join(root, file), path.join(copy, file));
      await work(copy);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
});

function* allMessages(): Generator<DescMessage> {
  for (const type of protocolRegistry) {
    if (type.kind === "message" && /^(agent|aiserver|quarry)\.v1\./.test(type.typeName)) yield type;
  }
}

/** A message with every field set, members of oneofs by turns of their number; nested ones down to `depth`. */
function fill(message: DescMessage, depth: number): ReturnType<typeof create> {
  const made = reflect(message);
  for (const field of message.fields) setField(made, field, depth);
  return made.message;
}

function setField(made: ReflectMessage, field: DescField, depth: number): void {
  if (field.message?.typeName.startsWith("google.protobuf.") === true) return; // their JSON forms are their own
  switch (field.fieldKind) {
    case "scalar":
      made.set(field, scalarValue(field.scalar));
      return;
    case "enum":
      made.set(field, field.enum.values.at(-1)?.number ?? 0);
      return;
    case "message":
      if (depth > 0) made.set(field, reflect(field.message, fill(field.message, depth - 1)));
      return;
    case "list": {
      const list = made.get(field);
      if (field.listKind === "scalar") list.add(scalarValue(field.scalar));
      if (field.listKind === "enum") list.add(field.enum.values.at(-1)?.number ?? 0);
      if (field.listKind === "message" && depth > 0) list.add(reflect(field.message, fill(field.message, depth - 1)));
      return;
    }
    case "map": {
      const map = made.get(field);
      if (field.mapKind === "scalar") map.set("key", scalarValue(field.scalar));
      if (field.mapKind === "message" && depth > 0)
        map.set("key", reflect(field.message, fill(field.message, depth - 1)));
    }
  }
}

function scalarValue(type: ScalarType): string | number | bigint | boolean | Uint8Array {
  switch (type) {
    case ScalarType.STRING:
      return "é ☃";
    case ScalarType.BYTES:
      return new Uint8Array([0, 255]);
    case ScalarType.BOOL:
      return true;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return 2n ** 60n;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 0.5;
    default:
      return 7;
  }
}
