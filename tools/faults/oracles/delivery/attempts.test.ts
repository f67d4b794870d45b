import { expect, test } from '@jest/globals';
import { checkOutcomes } from './attempts.ts';

const outcomes = [
  { channel: 'SMS', outcome: 'sent', providerCode: 'queued', attempts: 90 },
  { channel: 'SMS', outcome: 'rate_limited', providerCode: '20429', attempts: 5 },
  { channel: 'SMS', outcome: 'unknown', providerCode: 'UND_ERR_SOCKET', attempts: 2 },
  { channel: 'SMS', outcome: 'unknown', providerCode: 'ETIMEDOUT', attempts: 1 },
  { channel: 'WEB_HOOK', outcome: 'transient', providerCode: 'UND_ERR_SOCKET', attempts: 4 },
];

test.each([
  [
    { channel: 'SMS', limited: 5, dropped: 2 },
    { violations: [], tooLate: 1 },
  ],
  // A callback settled one earlier.
  [
    { channel: 'SMS', limited: 5, dropped: 3 },
    { violations: [], tooLate: 1 },
  ],
  [
    { channel: 'WEB_HOOK', limited: 0, dropped: 4 },
    { violations: [], tooLate: 0 },
  ],
] as const)('the log has what the provider did: %j', (struck, findings) => {
  expect(checkOutcomes(outcomes, struck)).toEqual(findings);
});

test.each([
  [{ channel: 'SMS', limited: 6, dropped: 2 }, ['SMS: 6 rate-limit rejections, 5 in the log']],
  [{ channel: 'SMS', limited: 4, dropped: 2 }, ['SMS: 4 rate-limit rejections, 5 in the log']],
  [
    { channel: 'SMS', limited: 5, dropped: 1 },
    ['SMS: 1 responses were dropped, but 2 attempts are logged as unknown'],
  ],
  [
    { channel: 'WEB_HOOK', limited: 0, dropped: 3 },
    ['WEB_HOOK: 3 responses were dropped, but 4 attempts are logged as transient'],
  ],
] as const)('%j is more or less than the log has', (struck, violations) => {
  expect(checkOutcomes(outcomes, struck).violations).toEqual(violations);
});

test('a worker that times out on every response is not explained by a busy machine', () => {
  const late = [{ channel: 'SMS', outcome: 'unknown', providerCode: 'ETIMEDOUT', attempts: 3 }];

  expect(checkOutcomes(late, { channel: 'SMS', limited: 0, dropped: 0 }).violations).toEqual([
    'SMS: 3 attempts timed out, more than 1',
  ]);
});
