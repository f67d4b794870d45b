import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { currentTraceparent, inSpan, inChildSpan, inSpanPerParent } from './spans.ts';
import { newTraceId, traceIdFrom } from './traceparent.ts';

describe('links', () => {
  const MESSAGE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const TRACEPARENT = `00-${MESSAGE.traceId}-${MESSAGE.spanId}-01`;

  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
  });
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    trace.disable();
    context.disable();
    await provider.shutdown();
  });

  const spanOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
  const linksOf = (name: string) =>
    spanOf(name)?.links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }));
  const idsOf = (name: string) => ({
    traceId: spanOf(name)?.spanContext().traceId,
    spanId: spanOf(name)?.spanContext().spanId,
  });

  test('the trace of a message and the request that reported it, with its own trace, link to each other', async () => {
    await trace.getTracer('test').startActiveSpan('POST /callback', async (request) => {
      await inChildSpan(TRACEPARENT, { name: 'callback' }, () =>
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
      (work: () => Promise<void>) => inChildSpan(TRACEPARENT, { name: 'around' }, work),
    ],
  ])('a span below another process’s has no link where %s', async (_name, around) => {
    await around(() => inChildSpan(TRACEPARENT, { name: 'work' }, () => Promise.resolve()));

    expect(linksOf('work')).toEqual([]);
    expect(spanOf('work')?.parentSpanContext?.spanId).toBe(MESSAGE.spanId);
  });
});

describe('spans', () => {
  const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  test('where nothing traces, work is done without a span and carries nothing on', async () => {
    expect(
      await inSpan({ name: 'work' }, () => Promise.resolve(currentTraceparent())),
    ).toBeUndefined();
    expect(
      await inChildSpan(TRACEPARENT, { name: 'work' }, () => Promise.resolve(currentTraceparent())),
    ).toBeUndefined();
  });

  test.each([
    ['nothing', undefined],
    ['what is none', 'none'],
    ['one that is not sampled', TRACEPARENT.replace(/01$/, '00')],
  ])('a batch that carries %s gets no span', async (_name, traceparent) => {
    expect(
      await inSpanPerParent([traceparent], { name: 'batch' }, (below) =>
        Promise.resolve([...below.keys()]),
      ),
    ).toEqual([]);
  });

  test('an error of the work is its caller’s, whether or not there are spans', async () => {
    const failing = () => Promise.reject(new Error('no'));

    await expect(inSpan({ name: 'work' }, failing)).rejects.toThrow('no');
    await expect(inChildSpan(TRACEPARENT, { name: 'work' }, failing)).rejects.toThrow('no');
    await expect(inSpanPerParent([TRACEPARENT], { name: 'work' }, failing)).rejects.toThrow('no');
  });
});

describe('traceparent', () => {
  const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
  const PARENT_ID = 'b7ad6b7169203331';

  describe('the trace of a request', () => {
    test.each([
      ['of version 00', `00-${TRACE_ID}-${PARENT_ID}-01`],
      ['that is not sampled', `00-${TRACE_ID}-${PARENT_ID}-00`],
      ['of a later version', `01-${TRACE_ID}-${PARENT_ID}-01`],
      [
        'of a later version with more behind',
        `cc-${TRACE_ID}-${PARENT_ID}-01-what-the-future-brings`,
      ],
    ])('is that of a traceparent %s', (_name, traceparent) => {
      expect(traceIdFrom(traceparent)).toBe(TRACE_ID);
    });

    test.each([
      ['missing', undefined],
      ['empty', ''],
      ['of the forbidden version', `ff-${TRACE_ID}-${PARENT_ID}-01`],
      ['of version 00 with more behind', `00-${TRACE_ID}-${PARENT_ID}-01-more`],
      ['with a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
      ['with a parent id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
      ['in capitals', `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
      ['too short', `00-${TRACE_ID.slice(1)}-${PARENT_ID}-01`],
      ['sent twice', `00-${TRACE_ID}-${PARENT_ID}-01, 00-${TRACE_ID}-${PARENT_ID}-01`],
      ['hostile', `00-${TRACE_ID}-${PARENT_ID}-01\n`.repeat(1_000)],
    ])('is a new one when traceparent is %s', (_name, traceparent) => {
      const traceId = traceIdFrom(traceparent);

      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(traceId).not.toBe(TRACE_ID);
      expect(traceIdFrom(traceparent)).not.toBe(traceId);
    });
  });

  test('new trace ids are all different', () => {
    expect(new Set(Array.from({ length: 1_000 }, newTraceId)).size).toBe(1_000);
  });
});
