import type { Tracing, TracingConfig } from './tracing.ts';

let isStarted = false;

/** Whether this process records spans. */
export const isTracing = (): boolean => isStarted;

/** Without an endpoint no span is created, and the OpenTelemetry SDK is not loaded. */
export async function startTracing(service: string, config: TracingConfig): Promise<Tracing> {
  if (config.otlpEndpoint === '') return { stop: () => Promise.resolve() };
  const { sendToCollector } = await import('./collector.ts');
  isStarted = true;
  return sendToCollector(service, config);
}
