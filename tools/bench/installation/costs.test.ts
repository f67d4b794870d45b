import { expect, test } from '@jest/globals';
import { costFigures, costsBetween, type Counters } from './costs.ts';

const before: Counters = {
  cpu: new Map([
    [1, { group: 'gateway', seconds: 10 }],
    [2, { group: 'consumers', seconds: 1 }],
    [3, { group: 'consumers', seconds: 2 }],
  ]),
  walBytes: 1_000,
};

test('adds the processes of a group, and counts one that started in between in full', () => {
  const after: Counters = {
    cpu: new Map([
      [1, { group: 'gateway', seconds: 10.5 }],
      [2, { group: 'consumers', seconds: 2 }],
      [3, { group: 'consumers', seconds: 2.25 }],
      [4, { group: 'worker', seconds: 3 }],
    ]),
    walBytes: 9_000,
  };

  const costs = costsBetween(before, after, 2);

  expect(costs.cpuSeconds).toMatchObject({ gateway: 0.25, consumers: 0.625, worker: 1.5, sink: 0 });
  expect(costs.walBytes).toBe(4_000);
});

test('prints groups that used CPU or have a goal, and the WAL', () => {
  const idle = costsBetween(before, before, 1);
  const figures = costFigures([idle, { ...idle, walBytes: 300 }], 'mail', {
    worker: { atMost: 110 },
    WAL: { atMost: 1_500 },
  });

  expect(figures).toEqual([
    {
      name: 'CPU of worker, per mail',
      value: 0,
      unit: 'microseconds',
      goal: { atMost: 110 },
    },
    {
      name: 'WAL, per mail',
      value: 150,
      unit: 'bytes',
      goal: { atMost: 1_500 },
      note: 'full-page images included',
    },
  ]);
});
