import type { JsonObject } from "@bufbuild/protobuf";
import type { Resource } from "@modelcontextprotocol/client";

/** What a server says of a resource, in the protocol's fields; annotations are texts there. */
export function toResourceJson(resource: Resource): JsonObject {
  const { uri, name, description, mimeType } = resource;
  return {
    uri,
    name,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    annotations: toAnnotations(resource.annotations),
  };
}

function toAnnotations(annotations: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
