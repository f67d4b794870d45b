import { describe, expect, test } from '@jest/globals';
import { computeReach } from './campaign-reach.ts';

describe('what was delivered', () => {
  test('is what the channel reports', () => {
    expect(computeReach('SMS', { sent: 90, delivered: 85 })).toEqual({
      sent: 90,
      delivered: 85,
      isDerived: false,
      base: 85,
    });
  });

  test('is of e-mail what was sent less what bounced, however few opened it', () => {
    expect(
      computeReach(
        'EMAIL',
        { sent: 17_838, delivered: 7_416 },
        { no_mailbox: 121, mailbox_full: 29, refused: 12 },
      ),
    ).toEqual({ sent: 18_000, delivered: 17_838, isDerived: true, base: 17_838 });
  });

  test('is unknown where neither is reported: rates are of what was sent', () => {
    expect(computeReach('WEB_HOOK', { sent: 20, delivered: 0 })).toEqual({
      sent: 20,
      delivered: null,
      isDerived: false,
      base: 20,
    });
  });
});
