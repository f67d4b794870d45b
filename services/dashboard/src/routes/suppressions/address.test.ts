import { expect, test } from '@jest/globals';
import { normalAddress } from './address.ts';

test.each([
  ['SMS', '+49 151 12345001', undefined, '+4915112345001'],
  ['SMS', '0151 / 123 45 001', 'DE', '+4915112345001'],
  ['SMS', '0151 12345001', undefined, null],
  ['SMS', 'ada@example.org', 'DE', null],
  ['SMS', '+1', 'DE', null],
  ['EMAIL', ' Ada@Example.ORG ', undefined, 'ada@example.org'],
  ['EMAIL', 'a@b.org, c@d.org', undefined, null],
  ['EMAIL', '"Ada" <ada@example.org>', undefined, null],
  ['EMAIL', 'ada@example.org\r\nBcc: x@y.org', undefined, null],
  ['EMAIL', '+4915112345001', 'DE', null],
] as const)('%s %j with country %s is %j', (channel, address, country, expected) => {
  expect(normalAddress(channel, address, country)).toBe(expected);
});
