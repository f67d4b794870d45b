import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tracing, TracingConfig } from './tracing.ts';

/**
 * Maximum queued spans; further ones are dropped, so an overloaded collector gets partial traces.
 */
const QUEUE_MAX = 8_192;
const EXPORT_MAX = 512;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;

/** Records the spans of `spans.ts` and sends them to the collector. Patches no library. */
export function sendToCollector(
  service: string,
  { otlpEndpoint, otlpHeaders, traceShare, trustCallerTraceparent }: TracingConfig,
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readHeaders(otlpHeaders),
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const share = new TraceIdRatioBasedSampler(traceShare);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'tidings' }),
    // A context received through Kafka counts as local: its sampling was decided at the first
    // request.
    sampler: new ParentBasedSampler({
      root: share,
      ...(!trustCallerTraceparent && { remoteParentSampled: share }),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE_MAX,
        maxExportBatchSize: EXPORT_MAX,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    async stop() {
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        delay(EXPORT_TIMEOUT_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/** Parses the OpenTelemetry format: `name=value`, with URL-encoded values. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map(
      (pair) =>
        [
          pair.slice(0, pair.indexOf('=')).trim(),
          pair.slice(pair.indexOf('=') + 1).trim(),
        ] as const,
    );
  return Object.fromEntries(
    pairs.filter(([name]) => name !== '').map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}
