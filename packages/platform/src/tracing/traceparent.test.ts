import { describe, expect, test } from '@jest/globals';
import { newTraceId, traceIdFrom } from './traceparent.ts';

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
