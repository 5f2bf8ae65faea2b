import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { protocolMessage } from "@quarry/contract";

/** One field of a tool's arguments or result, as the protocol has it. */
export interface ToolField {
  /** Such as `read-file`. */
  readonly tool: string;
  readonly side: "params" | "result";
  /** Such as `start-line-one-indexed`. */
  readonly field: string;
  /** What is in it, where it is one case of several. */
  readonly members?: readonly string[];
}

/** Every top-level field of every tool that the protocol's call and result messages carry. */
export function toolFields(): readonly ToolField[] {
  return [
    ...fieldsOf(protocolMessage("aiserver.v1.ClientSideToolV2Call"), "params"),
    ...fieldsOf(protocolMessage("aiserver.v1.ClientSideToolV2Result"), "result"),
  ];
}

/** The fields that no requirement speaks of: by its name, or by the name of something in it. */
export function unlistedFields(fields: readonly ToolField[], ids: readonly string[]): readonly string[] {
  return fields.flatMap(({ tool, side, field, members = [] }) => {
    const idOf = (name: string): string => `tools:${tool}:${side}:${name}`;
    const isListed = (name: string): boolean =>
      ids.some((each) => each === idOf(name) || each.startsWith(`${idOf(name)}-`));
    if (isListed(field)) return [];
    if (members.length === 0) return [idOf(field)];
    // One case of a result may be spoken of by what is in it, with the first word of the case in front or not.
    const [word = ""] = field.split("-");
    return members.filter((member) => !isListed(member) && !isListed(`${word}-${member}`)).map(idOf);
  });
}

/** Tools that only later builds of the protocol have, and ones whose fields agent.v1 has and `agent-protocol` lists. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "mcp-auth",
  "get-mcp-tools",
  "connect-scm",
  "ai-attribution",
  "exa-search",
  "exa-fetch",
  "fetch",
]);
/** Where the member of a call is called otherwise than its tool. */
const NAMES: Readonly<Record<string, string>> = { gotodef: "go-to-definition" };
/** The id of the call itself, which every call has. */
const CALL_ID = "tool-call-id";

function fieldsOf(message: DescMessage, side: ToolField["side"]): readonly ToolField[] {
  const members = message.oneofs.find(({ name }) => name === side)?.fields ?? [];
  return members.flatMap((member) => {
    if (member.message === undefined || !member.name.endsWith(`_${side}`)) return [];
    const name = kebab(member.name.slice(0, -side.length - 1));
    const tool = NAMES[name] ?? name;
    if (ELSEWHERE.has(tool)) return [];
    return member.message.fields
      .map((field) => ({ tool, side, field: kebab(field.name), members: membersOf(field) }))
      .filter(({ field }) => field !== CALL_ID);
  });
}

/** What is in a case of a oneof. */
function membersOf(field: DescField): readonly string[] {
  if (field.oneof === undefined || field.message === undefined) return [];
  return field.message.fields.map(({ name }) => kebab(name));
}

function kebab(name: string): string {
  return name.replaceAll("_", "-");
}
