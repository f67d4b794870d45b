import { expect, test } from '@jest/globals';
import { DELIVERY_REASONS, RECEIPT_REASONS } from '@tidings/contracts';
import { deliveryAdvice, ingestAdvice } from './advice.ts';

test.each(DELIVERY_REASONS)('%s has a sentence and says what to do', (reason) => {
  expect(deliveryAdvice(reason).what).toMatch(/^[A-Z].{15,}\.$/);
  expect(deliveryAdvice(reason).todo).toMatch(/^[A-Z].{5,}\.$/);
});

test.each(RECEIPT_REASONS)('%s has a sentence and says what to do', (reason) => {
  expect(ingestAdvice(reason).what).toMatch(/^[A-Z].{10,}\.$/);
  expect(ingestAdvice(reason).todo).toMatch(/^[A-Z].{5,}\.$/);
});

test('a reason of tomorrow is shown by its code', () => {
  expect(deliveryAdvice('sun_flare')).toEqual({ what: 'Sun flare.' });
});
