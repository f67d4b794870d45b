import { systemIds } from '@tidings/platform';
import { expect, test } from '@jest/globals';
import { FaultTable } from './fault-table.ts';

test.each([
  { rate: 0, dice: 0, isStruck: false },
  { rate: 0.25, dice: 0.2, isStruck: true },
  { rate: 0.25, dice: 0.25, isStruck: false },
  { rate: 1, dice: 0.999, isStruck: true },
])(
  'a fault of rate $rate applies for the random number $dice: $isStruck',
  ({ rate, dice, isStruck }) => {
    const faults = new FaultTable(systemIds, () => dice);
    faults.add({ channel: 'EMAIL', kind: 'reset', rate });

    expect(faults.strike('EMAIL', 'reset') !== undefined).toBe(isStruck);
    expect(faults.list()[0]?.struck).toBe(isStruck ? 1 : 0);
  },
);

test('a fault applies only to its channel and kind', () => {
  const faults = new FaultTable(systemIds);
  faults.add({ channel: 'EMAIL', kind: 'delay', rate: 1, delayMs: 5 });

  expect(faults.strike('SMS', 'delay')).toBeUndefined();
  expect(faults.strike('EMAIL', 'reject')).toBeUndefined();
  expect(faults.strike('EMAIL', 'delay')?.delayMs).toBe(5);
});

test('if the first fault does not apply, the next of its kind is tried', () => {
  const faults = new FaultTable(systemIds);
  faults.add({ channel: 'EMAIL', kind: 'status', rate: 0, status: 451 });
  faults.add({ channel: 'EMAIL', kind: 'status', rate: 1, status: 552 });

  expect(faults.strike('EMAIL', 'status')?.status).toBe(552);
});
