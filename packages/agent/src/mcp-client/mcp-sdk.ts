import type * as client from "@modelcontextprotocol/client";

/** What we use of the protocol's own client library. */
export type McpSdk = Pick<
  typeof client,
  | "Client"
  | "ProtocolError"
  | "ReadBuffer"
  | "SdkError"
  | "SdkErrorCode"
  | "SdkHttpError"
  | "StreamableHTTPClientTransport"
  | "serializeMessage"
>;

/** Loaded with the first server that is asked: most processes never need it. */
export function loadMcpSdk(): Promise<McpSdk> {
  return import("@modelcontextprotocol/client");
}
