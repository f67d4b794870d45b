import { expect, test } from '@jest/globals';
import { isAddressAllowed, type AddressRules } from './allow-list.ts';

const LIST = ['10.0.0.0/8'];
const rules = (overrides: Partial<AddressRules> = {}): AddressRules => ({
  type: 'server',
  allowList: LIST,
  settings: {},
  ...overrides,
});

test.each<[string, AddressRules, string | null, boolean]>([
  ['an address on the list', rules(), '10.1.2.3', true],
  ['another', rules(), '192.0.2.1', false],
  ['one that cannot be read', rules(), null, false],
  ['any, where there is no list', rules({ allowList: [] }), '192.0.2.1', true],
  [
    'any, where the last entry is no network: nobody',
    rules({ allowList: ['everybody'] }),
    '10.1.2.3',
    false,
  ],
  ['a Client key is bound too', rules({ type: 'client' }), '192.0.2.1', false],
  [
    'a Client key that is exempt',
    rules({ type: 'client', settings: { allowListExemptsClientKeys: true } }),
    '192.0.2.1',
    true,
  ],
  [
    'a Server key is never exempt',
    rules({ settings: { allowListExemptsClientKeys: true } }),
    '192.0.2.1',
    false,
  ],
])('%s', (_what, rulesOfKey, address, isAllowed) => {
  expect(isAddressAllowed(rulesOfKey, () => address)).toBe(isAllowed);
});

test('without a list nobody asks where a request comes from', () => {
  const fail = (): never => {
    throw new Error('asked');
  };

  expect(isAddressAllowed(rules({ allowList: [] }), fail)).toBe(true);
});
