import { context, propagation, SpanKind, SpanStatusCode, trace, type Span } from "@opentelemetry/api";
import type { IncomingHttpHeaders } from "node:http";

/** Starts the server span of a request, below the caller's trace when one came in; free when no SDK is registered. */
export function startRequestSpan(request: {
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}): Span {
  const parent = propagation.extract(context.active(), request.headers);
  return trace.getTracer("quarry").startSpan(
    `${request.method} ${request.route}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        "http.request.method": request.method,
        "http.route": request.route,
        "url.path": request.path,
      },
    },
    parent,
  );
}

/** Runs `work` so that spans it starts are below `span`. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(context.active(), span), work);
}

/** Ends the span with the reply's status. */
export function endRequestSpan(span: Span, status: number): void {
  span.setAttribute("http.response.status_code", status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
