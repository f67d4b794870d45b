import { expect, test } from '@jest/globals';
import { funnelOf } from './funnel.ts';

const counts = { total: 9, pending: 0, waiting: 0, sent: 6, delivered: 5, displayed: 4, opened: 3, clicked: 2, successful: 6, failed: 3, unknown: 0, expired: 0, canceled: 0, unsubscribed: 0, complained: 0 };

test('each step is a part of the one before; whom nothing could reach is not reachable', () => {
  const steps = funnelOf({ recipients: { requested: 10, unique: 9 }, counts, failures: { unknown_user: 1, no_address: 1, provider_rejected: 1 } });

  expect(steps.map(({ name, count }) => [name, count])).toEqual([
    ['requested', 10],
    ['unique', 9],
    ['reachable', 7],
    ['sent', 6],
    ['delivered', 5],
    ['displayed', 4],
    ['opened', 3],
    ['clicked', 2],
  ]);
});

test('where the service tells a step, its number counts', () => {
  expect(funnelOf({ recipients: { requested: 10, unique: 9 }, counts, failures: {}, funnel: { reachable: 8 } })[2]).toEqual({ name: 'reachable', count: 8 });
});
