import { ROOT_CONTEXT, TraceFlags, context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

const PROBE = createContextKey('probe');

/** Whether the process has a context manager; another test file may have removed it. */
const isManaged = (): boolean =>
  context.with(ROOT_CONTEXT.setValue(PROBE, true), () => context.active().getValue(PROBE) === true);

/** Runs work in a sampled trace, as a traced request would. */
export function inTrace<T>(work: () => T): T {
  if (!isManaged()) context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const span = trace.wrapSpanContext({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.SAMPLED,
  });
  return context.with(trace.setSpan(ROOT_CONTEXT, span), work);
}
