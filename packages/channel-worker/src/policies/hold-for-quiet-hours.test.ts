import { expect, test } from '@jest/globals';
import type { Prepared } from '../prepare.ts';
import { holdForQuietHours } from './hold-for-quiet-hours.ts';

const HOUR_MS = 3_600_000;
// 22:00 in Berlin, 16:00 in New York.
const now = Date.parse('2026-06-10T20:00:00Z');
const NIGHT = { from: '21:00', to: '08:00' };

const prepared = (deliveryId: string, timeZone: string | null): Prepared => ({
  delivery: {
    deliveryId,
    fence: 1,
    customUserId: deliveryId,
    serviceUserId: null,
    attempts: 0,
    doubts: 0,
    ageMs: 0,
    testAddress: null,
    profile: {},
    timeZone,
    suppression: null,
    settingsVersion: 1,
  },
  address: 'ada@example.org',
});
const deliveries = [
  prepared('unsaid', null),
  prepared('new york', 'America/New_York'),
  prepared('nonsense', '{"x":1}'),
  prepared('tokyo', 'Asia/Tokyo'),
];
const hold = (
  purpose: 'marketing' | 'transactional',
  quietHours: Parameters<typeof holdForQuietHours>[1]['policies']['quietHours'],
) =>
  holdForQuietHours(deliveries, {
    purpose,
    policies: { quietHours, timeZone: 'Europe/Berlin' },
    now,
  });

test('waits for the morning where the recipient is, or where the application is when nobody knows', () => {
  const { open, changes } = hold('marketing', NIGHT);

  expect(open.map(({ delivery }) => delivery.deliveryId)).toEqual(['new york']);
  expect(changes).toEqual([
    {
      deliveryId: 'unsaid',
      fence: 1,
      state: 'pending',
      reason: 'quiet_hours',
      delayMs: 10 * HOUR_MS,
    },
    {
      deliveryId: 'nonsense',
      fence: 1,
      state: 'pending',
      reason: 'quiet_hours',
      delayMs: 10 * HOUR_MS,
    },
    {
      deliveryId: 'tokyo',
      fence: 1,
      state: 'pending',
      reason: 'quiet_hours',
      delayMs: 3 * HOUR_MS,
    },
  ]);
});

test('fails where the application wants that', () => {
  expect(hold('marketing', { ...NIGHT, action: 'drop' }).changes).toContainEqual({
    deliveryId: 'tokyo',
    fence: 1,
    state: 'failed',
    reason: 'quiet_hours',
  });
});

test('is nothing to transactional messages, nor to an application without quiet hours', () => {
  expect(hold('transactional', NIGHT)).toEqual({ open: deliveries, changes: [] });
  expect(hold('marketing', null)).toEqual({ open: deliveries, changes: [] });
});
