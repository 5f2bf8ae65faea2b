import type { Operation } from "../../api/openapi.ts";

/** What the form of an operation holds. */
export interface RequestInput {
  /** Values of path, query and header parameters by name; those left empty are not sent. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The body of a JSON operation. */
  readonly body?: unknown;
  /** The body of any other, and its media type. */
  readonly raw?: string;
  readonly mediaType?: string;
}

/** A request, ready to be sent or written down. */
export interface BuiltRequest {
  readonly method: Operation["method"];
  /** With its query, from the root of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Puts an operation and its input together; path parameters that are missing stay in braces. */
export function buildRequest(operation: Operation, input: RequestInput): BuiltRequest {
  const given = operation.parameters.flatMap(({ name, place }) => {
    const value = input.parameters[name] ?? "";
    return value === "" ? [] : [{ name, place, value }];
  });
  const path = given
    .filter(({ place }) => place === "path")
    .reduce((made, { name, value }) => made.replace(`{${name}}`, encodeURIComponent(value)), operation.path);
  const query = new URLSearchParams(
    given.filter(({ place }) => place === "query").map(({ name, value }): [string, string] => [name, value]),
  ).toString();
  const headers = Object.fromEntries(
    given.filter(({ place }) => place === "header").map(({ name, value }) => [name.toLowerCase(), value]),
  );
  const body = bodyOf(operation, input);
  return {
    method: operation.method,
    path: query === "" ? path : `${path}?${query}`,
    headers: {
      ...(body === undefined ? {} : { "content-type": mediaTypeOf(operation, input) }),
      ...headers,
    },
    body,
  };
}

/** The parameters of the path that are still missing. */
export function missingParameters(operation: Operation, input: RequestInput): readonly string[] {
  return operation.parameters
    .filter(({ name, isRequired }) => isRequired && (input.parameters[name] ?? "") === "")
    .map(({ name }) => name);
}

function bodyOf(operation: Operation, input: RequestInput): string | undefined {
  switch (operation.body.kind) {
    case "none":
      return undefined;
    case "json":
      return input.body === undefined ? undefined : JSON.stringify(input.body);
    case "bytes":
      return input.raw ?? "";
  }
}

function mediaTypeOf(operation: Operation, input: RequestInput): string {
  return operation.body.kind === "bytes" ? (input.mediaType ?? "application/json") : "application/json";
}
