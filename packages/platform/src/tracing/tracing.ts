import { flag, fraction, optionalText, type ConfigOf, type ConfigSpec } from '../config.ts';

/**
 * OpenTelemetry's standard names:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export const tracingConfig = {
  otlpEndpoint: optionalText(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Collector for traces, OTLP over HTTP, such as http://collector:4318. Empty: no tracing.',
  ),
  otlpHeaders: optionalText(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector: name=value,name=value.',
    { secret: true },
  ),
  traceShare: fraction('OTEL_TRACES_SAMPLER_ARG', 'Fraction of requests that are traced, 0 to 1.', {
    default: 0.01,
  }),
  trustCallerTraceparent: flag(
    'TRUST_CALLER_TRACEPARENT',
    'Traces every request whose traceparent header is sampled. Enable it only if callers are trusted not to sample everything.',
    { default: false },
  ),
} as const satisfies ConfigSpec;
export type TracingConfig = ConfigOf<typeof tracingConfig>;

export interface Tracing {
  /** Sends the queued spans and stops; gives up after 5 s. Never rejects. */
  stop(): Promise<void>;
}
