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
import type { Tracing, TracingConfig } from './start-tracing.ts';

/** Spans beyond this wait for nobody: what makes more than the collector takes is seen in part. */
const QUEUE_MAX = 8_192;
const EXPORT_MAX = 512;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;

/** Makes the spans of `spans.ts` real and sends them to the collector; nothing is patched. */
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
    // What came through Kafka counts as local: that was decided where the request came in.
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

/** As OpenTelemetry writes them: `name=value`, values encoded as in a URL. */
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
