import { expect, test } from '@jest/globals';
import { currentTraceparent, inSpan, inSpanBelow, inSpanOfEach } from './spans.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('where nothing traces, work is done without a span and carries nothing on', async () => {
  expect(
    await inSpan({ name: 'work' }, () => Promise.resolve(currentTraceparent())),
  ).toBeUndefined();
  expect(
    await inSpanBelow(TRACEPARENT, { name: 'work' }, () => Promise.resolve(currentTraceparent())),
  ).toBeUndefined();
});

test.each([
  ['nothing', undefined],
  ['what is none', 'none'],
  ['one that is not sampled', TRACEPARENT.replace(/01$/, '00')],
])('a batch that carries %s gets no span', async (_name, traceparent) => {
  expect(
    await inSpanOfEach([traceparent], { name: 'batch' }, (below) =>
      Promise.resolve([...below.keys()]),
    ),
  ).toEqual([]);
});

test('an error of the work is its caller’s, whether or not there are spans', async () => {
  const failing = () => Promise.reject(new Error('no'));

  await expect(inSpan({ name: 'work' }, failing)).rejects.toThrow('no');
  await expect(inSpanBelow(TRACEPARENT, { name: 'work' }, failing)).rejects.toThrow('no');
  await expect(inSpanOfEach([TRACEPARENT], { name: 'work' }, failing)).rejects.toThrow('no');
});
