import { describe, expect, test } from '@jest/globals';
import type { StateChange } from './change-states.ts';
import { isPlainlySent } from './record-sent.ts';

const SENT: StateChange = {
  deliveryId: 'delivery',
  fence: 1,
  state: 'sent',
  outcome: 'sent',
  providerId: 'id',
  providerCode: '250',
  providerMessage: '250 queued',
  isNeutral: true,
  durationMs: 12,
};

/** What the statement of plain outcomes cannot store. */
const OTHERS: { readonly [Field in keyof StateChange]?: StateChange[Field] } = {
  addressNo: 0,
  reason: 'outcome_unknown',
  delayMs: 0,
  isAttemptReturned: false,
  isFresh: false,
  at: 0,
  event: 'bounced',
  detail: '',
  address: 'dead',
};

describe('an outcome is plainly sent', () => {
  test.each<[string, StateChange]>([
    ['with all that a provider answers', SENT],
    ['without', { deliveryId: 'delivery', fence: 1, state: 'sent', outcome: 'sent' }],
    ['with fields that are not set', { ...SENT, ...({ reason: undefined } as object) }],
  ])('%s', (_, change) => {
    expect(isPlainlySent(change)).toBe(true);
  });

  test.each(Object.entries(OTHERS))('not with %s', (field, value) => {
    expect(isPlainlySent({ ...SENT, [field]: value })).toBe(false);
  });

  test.each<[string, Partial<StateChange>]>([
    ['in another state', { state: 'delivered' }],
    ['after another outcome', { outcome: 'unknown' }],
    ['without an attempt', { fence: null }],
    ['if its message may name the recipient', { isNeutral: false }],
  ])('not %s', (_, other) => {
    expect(isPlainlySent({ ...SENT, ...other })).toBe(false);
  });
});
