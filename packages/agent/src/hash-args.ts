import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** SHA-256 of a tool's name and arguments, the same however the members were ordered; hexadecimal. */
export function hashArgs(tool: string, args: JsonObject): string {
  return createHash("sha256")
    .update(canonical([tool, args]), "utf8")
    .digest("hex");
}

/** JSON with the members of objects in the order of their names. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
