import { say } from "../words/say.ts";
/** What the server refused, in its own words; status 0 when it did not answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(message: string, status: number, requestId?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.requestId = requestId;
  }
}

/** One request, as the console words it. */
export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; a Blob or a string goes as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request to the server that served this page and gives the JSON of its reply; rejects with an ApiError. */
export async function send<Reply>(path: string, call: Call = {}): Promise<Reply> {
  const response = await open(path, call);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(messageOf(body, response.status), response.status, requestIdOf(response));
  // The server checks its replies against the schemas of the OpenAPI document; the console trusts it.
  return body as Reply;
}

/** Sends a request and gives the reply as it is, whatever its status; rejects only when there is none. */
export async function open(path: string, { method = "GET", body, headers, signal }: Call = {}): Promise<Response> {
  const isRaw = typeof body === "string" || body instanceof Blob;
  try {
    return await fetch(path, {
      method,
      headers: { ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw Object.assign(new ApiError(say("api.theServerDoesNotAnswer"), 0), {
      cause,
    });
  }
}

/** The sentence in an error's body, in any of the three families of the wire. */
export function messageOf(body: unknown, status: number): string {
  if (isRecord(body)) {
    const { error, message } = body;
    if (typeof message === "string") return message;
    if (typeof error === "string") return error;
    if (isRecord(error) && typeof error["message"] === "string") return error["message"];
  }
  return say("api.theServerAnsweredWithoutSaying", { status });
}

/** Whether a value is an object with named parts. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get("x-request-id") ?? undefined;
}
