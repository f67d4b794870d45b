import { expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { expectedCounts } from './simulated-readers.ts';

test('delivered ≥ displayed ≥ opened ≥ clicked, and no two counts are the same on every channel', () => {
  const numbers = CHANNELS.map((channel) => expectedCounts(channel, 3));

  for (const { delivered, displayed, opened, clicked } of numbers)
    expect([delivered, displayed, opened, clicked]).toEqual(
      [delivered, displayed, opened, clicked].toSorted((a, b) => b - a),
    );
  expect(numbers.some(({ delivered, displayed }) => delivered > displayed)).toBe(true);
  expect(numbers.some(({ displayed, opened }) => displayed > opened)).toBe(true);
  expect(numbers.some(({ opened, clicked }) => opened > clicked)).toBe(true);
  expect(expectedCounts('EMAIL', 3)).toEqual({ delivered: 2, displayed: 2, opened: 2, clicked: 1 });
  expect(expectedCounts('APP_PUSH', 3)).toEqual({
    delivered: 3,
    displayed: 2,
    opened: 1,
    clicked: 1,
  });
});
