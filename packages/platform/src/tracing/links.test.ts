import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { inSpan, inSpanBelow } from './spans.ts';

const MESSAGE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${MESSAGE.traceId}-${MESSAGE.spanId}-01`;

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

const spanOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
const linksOf = (name: string) =>
  spanOf(name)?.links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }));
const idsOf = (name: string) => ({
  traceId: spanOf(name)?.spanContext().traceId,
  spanId: spanOf(name)?.spanContext().spanId,
});

test('work in the trace of a message and the request that told of it, which has a trace of its own, link to each other', async () => {
  await trace.getTracer('test').startActiveSpan('POST /callback', async (request) => {
    await inSpanBelow(TRACEPARENT, { name: 'callback' }, () =>
      inSpan({ name: 'record' }, () => Promise.resolve()),
    );
    request.end();
  });

  expect(idsOf('callback').traceId).toBe(MESSAGE.traceId);
  expect(linksOf('callback')).toEqual([idsOf('POST /callback')]);
  expect(linksOf('POST /callback')).toEqual([idsOf('callback')]);
  expect(linksOf('record')).toEqual([]);
});

test.each([
  ['there is none around it', (work: () => Promise<void>) => work()],
  [
    'the span around it is of the same trace',
    (work: () => Promise<void>) => inSpanBelow(TRACEPARENT, { name: 'around' }, work),
  ],
])('a span below another process’s has no link where %s', async (_name, around) => {
  await around(() => inSpanBelow(TRACEPARENT, { name: 'work' }, () => Promise.resolve()));

  expect(linksOf('work')).toEqual([]);
  expect(spanOf('work')?.parentSpanContext?.spanId).toBe(MESSAGE.spanId);
});
