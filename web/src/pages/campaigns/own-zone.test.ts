import { expect, test } from '@jest/globals';
import type { Campaign } from '../../api/types.ts';
import { waitsForZones, zonedStatus } from './own-zone.ts';

const HOUR_MS = 3_600_000;
/** 16:30 of the last zone, twelve hours behind UTC. */
const LAST = Date.UTC(2026, 10, 30, 16, 30) + 12 * HOUR_MS;
const campaign = (changes: Partial<Campaign>, counts: Partial<Campaign['counts']> = {}) => ({
  status: 'sending' as const,
  schedule: { sendAt: LAST - 26 * HOUR_MS, sendAtLocal: '2026-11-30T16:30', localTimePassed: 0 },
  counts: { total: 2, pending: 2, ...counts } as Campaign['counts'],
  ...changes,
});

test('a campaign that is sent by the time of each person waits until the last zone has it', () => {
  expect(waitsForZones(campaign({}), LAST - 1)).toBe(LAST);
  expect(waitsForZones(campaign({}), LAST)).toBeNull();
});

test.each([
  ['is scheduled', campaign({ status: 'scheduled' })],
  ['is paused', campaign({ status: 'paused' })],
  ['has nothing left to send', campaign({}, { pending: 0 })],
  ['was sent at once', campaign({ schedule: null })],
  [
    'has one instant for all',
    campaign({ schedule: { sendAt: LAST, sendAtLocal: null, localTimePassed: 0 } }),
  ],
])('one that %s waits for no zone', (_what, other) => {
  expect(waitsForZones(other, LAST - 1)).toBeNull();
});

test('before the first message it sends nothing', () => {
  expect(zonedStatus(campaign({}))).toBe('Waiting for zones');
  expect(zonedStatus(campaign({}, { pending: 1 }))).toBe('Sending by zone');
});
