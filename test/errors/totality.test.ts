import { expect, test } from '@jest/globals';
import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { PROVIDER_ERRORS } from './rows/index.ts';

test('each error occurs once and has a reason of the closed list, or none', () => {
  const names = PROVIDER_ERRORS.map(
    ({ channel, provider = '', signal }) => `${channel} ${provider} ${signal}`,
  );

  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(
    PROVIDER_ERRORS.filter(
      ({ effect: { reason } }) =>
        reason !== null && !(DELIVERY_REASONS as readonly string[]).includes(reason),
    ),
  ).toEqual([]);
});
