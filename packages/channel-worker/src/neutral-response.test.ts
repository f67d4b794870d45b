import { expect, test } from '@jest/globals';
import { isNeutralResponse } from './neutral-response.ts';

test.each([
  ['250 2.0.0 Ok: queued as 4F2A91C0DE', 'ada.lovelace@example.org', true],
  ['250 2.0.0 OK  1764110000 41be03b00d2f7-abc.12 - gsmtp', 'ada@example.org', true],
  ['', 'ada@example.org', true],
  // By chance: stored as if it did.
  ['250 2.0.0 Ok: queued as ADA17', 'ada@example.org', false],
  ['250 2.0.0 <ada@example.org> queued', 'bob@example.org', false],
  ['250 2.0.0 Lovelace: queued', 'ada.lovelace@example.org', false],
  ['250 2.0.0 queued for ADA+news', 'ada+news@example.org', false],
  ['250 2.0.0 queued for al', 'al@example.org', false],
  ['250 2.0.0 queued for Ünal', 'ünal@example.org', false],
  ['250 2.0.0 queued', '"ada@home"@example.org', true],
  ['250 2.0.0 home: queued', '"ada@home"@example.org', false],
  ['queued', '+4915112345678', false],
  ['queued', '{"endpoint":"https://push.example/1"}', false],
  ['queued', '@example.org', false],
])('%j to %s: %s', (response, address, expected) => {
  expect(isNeutralResponse(response, address)).toBe(expected);
});
