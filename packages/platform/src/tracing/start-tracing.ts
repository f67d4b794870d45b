import { flag, fraction, optionalText, type ConfigOf, type ConfigSpec } from '../config.ts';

/** By the names that OpenTelemetry gives them: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const tracingConfig = {
  otlpEndpoint: optionalText(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Collector that traces are sent to, by OTLP over HTTP, as http://collector:4318; empty: none are made.',
  ),
  otlpHeaders: optionalText(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector, as name=value,name=value.',
    { secret: true },
  ),
  traceShare: fraction(
    'OTEL_TRACES_SAMPLER_ARG',
    'Share of the requests that are traced, 0 to 1.',
    { default: 0.01 },
  ),
  trustCallerTraceparent: flag(
    'TRUST_CALLER_TRACEPARENT',
    'Whether a request whose traceparent says so is traced in any case: for callers who are trusted not to ask for all.',
    { default: false },
  ),
} as const satisfies ConfigSpec;
export type TracingConfig = ConfigOf<typeof tracingConfig>;

export interface Tracing {
  /** Sends what is there and stops; gives up after 5 s. Never rejects. */
  stop(): Promise<void>;
}

let isStarted = false;

/** Whether spans of this process are real. */
export const isTracing = (): boolean => isStarted;

/** Without an endpoint no span is ever made, and what would make them is not even loaded. */
export async function startTracing(service: string, config: TracingConfig): Promise<Tracing> {
  if (config.otlpEndpoint === '') return { stop: () => Promise.resolve() };
  const { sendToCollector } = await import('./collector.ts');
  isStarted = true;
  return sendToCollector(service, config);
}
