import { propagation, trace } from "@opentelemetry/api";

/** Ends tracing; spans still in memory are sent first. */
export type StopTracing = () => Promise<void>;

/** What the standard variables say about where spans go. */
export interface TracingSettings {
  /** `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`. */
  readonly tracesUrl: string | undefined;
  /** `OTEL_SERVICE_NAME`. */
  readonly serviceName: string;
}

/**
 * Sends spans to an OpenTelemetry collector when the standard variables name one; otherwise nothing is even
 * loaded, and the spans that the rooms make cost nothing.
 */
export async function startTracing(settings: TracingSettings): Promise<StopTracing> {
  if (settings.tracesUrl === undefined) return () => Promise.resolve();
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }, { W3CTraceContextPropagator }] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/core"),
  ]);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": settings.serviceName }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.tracesUrl }) })],
  });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    trace.disable();
    propagation.disable();
    await provider.shutdown();
  };
}
