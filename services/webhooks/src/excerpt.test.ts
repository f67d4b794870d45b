import { expect, test } from '@jest/globals';
import { excerptOf } from './excerpt.ts';

test.each([
  ['not found', 'not found'],
  ['{"error":"no such table orders"}', '{"error":"no such table orders"}'],
  ['<html>\r\n<b>502</b>\tBad Gateway\u0000</html>', '<html> <b>502</b> Bad Gateway </html>'],
  ['user ada@example.org is unknown', 'user … is unknown'],
  ['call +49 (151) 123-4567 now', 'call …now'],
  [`token ${'a1B2'.repeat(10)} expired`, 'token … expired'],
  ['\ud800', '\ufffd'],
])('S45 %j is kept as %j', (answer, kept) => {
  expect(excerptOf(answer)).toBe(kept);
});

test('no more than 1,024 characters are kept, and the longest text is read in no time', () => {
  const startedMs = performance.now();
  for (const filler of ['x ', '@', 'a', '1 ', '+1'])
    expect(excerptOf(filler.repeat(60_000)).length).toBeLessThanOrEqual(1_024);

  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
