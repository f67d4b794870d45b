import { describe, expect, test } from '@jest/globals';
import { type AddressRules, isAddressAllowed } from './allow-list.ts';
import { addressBlock, networkList, parseNetwork, plainAddress } from './networks.ts';

describe('allow-list', () => {
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
      'an invalid entry matches nothing',
      rules({ allowList: ['not-a-network'] }),
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

  test('without a list the client address is not read', () => {
    const fail = (): never => {
      throw new Error('asked');
    };

    expect(isAddressAllowed(rules({ allowList: [] }), fail)).toBe(true);
  });
});

describe('networks', () => {
  describe('one spelling of an address', () => {
    test.each([
      ['10.1.2.3', '10.1.2.3'],
      ['10.1.2.3:8080', '10.1.2.3'],
      ['::ffff:10.1.2.3', '10.1.2.3'],
      ['::FFFF:0a01:0203', '10.1.2.3'],
      ['0:0:0:0:0:ffff:10.1.2.3', '10.1.2.3'],
      ['2001:DB8:0:0::1', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['[::ffff:10.1.2.3]:443', '10.1.2.3'],
      ['fe80::1%eth0', 'fe80::1'],
      ['[fe80::1%25eth0]:443', 'fe80::1'],
      ['::1', '::1'],
    ])('%s is %s', (text, address) => {
      expect(plainAddress(text)).toBe(address);
    });

    test.each([
      '',
      ' ',
      'unknown',
      '_hidden',
      'localhost',
      '10.1.2',
      '10.1.2.256',
      '010.1.2.3',
      '0x7f.1',
      '2130706433',
      '10.1.2.3:',
      '10.1.2.3:port',
      '10.1.2.3, 10.1.2.4',
      ' 10.1.2.3',
      '10.1.2.3/8',
      '[10.1.2.3',
      '2001:db8::1]',
      '%eth0',
      '2001:db8::1::2',
      'for=10.1.2.3',
      '\u0000',
    ])('%j is none', (text) => {
      expect(plainAddress(text)).toBeNull();
    });
  });

  describe('a network', () => {
    test.each([
      ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
      ['10.1.2.3', { address: '10.1.2.3', prefix: 32, family: 'ipv4' }],
      ['0.0.0.0/0', { address: '0.0.0.0', prefix: 0, family: 'ipv4' }],
      ['2001:db8::/32', { address: '2001:db8::', prefix: 32, family: 'ipv6' }],
      ['::1', { address: '::1', prefix: 128, family: 'ipv6' }],
      ['::ffff:10.0.0.0/104', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
      ['::ffff:0:0/95', { address: '::ffff:0:0', prefix: 95, family: 'ipv6' }],
    ])('%s', (text, network) => {
      expect(parseNetwork(text)).toEqual(network);
    });

    test.each([
      '',
      'loopback',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/8.0',
      '10.0.0.0/255.0.0.0',
      '10.0.0/8',
      '2001:db8::/129',
      'fe80::%eth0/64',
      '10.0.0.0 /8',
      '*',
    ])('%j is none', (text) => {
      expect(parseNetwork(text)).toBeNull();
    });
  });

  describe('a list of networks', () => {
    test.each<[string, readonly string[], string, boolean]>([
      ['an address itself', ['10.1.2.3'], '10.1.2.3', true],
      ['its neighbour', ['10.1.2.3/32'], '10.1.2.4', false],
      ['a network', ['10.0.0.0/8'], '10.255.255.255', true],
      ['bits behind the prefix', ['10.1.2.3/8'], '10.9.9.9', true],
      ['outside', ['10.0.0.0/8'], '11.0.0.0', false],
      ['all of IPv4', ['0.0.0.0/0'], '203.0.113.5', true],
      ['all of IPv4 has no IPv6', ['0.0.0.0/0'], '2001:db8::1', false],
      ['all of IPv6', ['::/0'], '2001:db8::1', true],
      ['all of IPv6 has no IPv4', ['::/0'], '203.0.113.5', false],
      ['an IPv6 network', ['2001:db8:1:2::/64'], '2001:db8:1:2:ffff::1', true],
      ['the next IPv6 network', ['2001:db8:1:2::/64'], '2001:db8:1:3::1', false],
      ['a single IPv6 address', ['2001:db8::1/128'], '2001:db8::1', true],
      ['an IPv4 address as IPv6', ['10.0.0.0/8'], '::ffff:10.1.2.3', true],
      ['an IPv4 network as IPv6', ['::ffff:10.0.0.0/104'], '10.1.2.3', true],
      ['a zone', ['fe80::/10'], 'fe80::1%eth0', true],
      ['a port', ['10.0.0.0/8'], '10.1.2.3:555', true],
      ['any of several', ['192.0.2.0/24', '2001:db8::/32', '10.0.0.0/8'], '10.1.2.3', true],
      ['overlapping ones', ['10.0.0.0/8', '10.1.0.0/16'], '10.2.0.1', true],
      ['an invalid entry', ['not-a-network', '10.0.0.0/99'], '10.1.2.3', false],
      ['no entries', [], '10.1.2.3', false],
      ['no address', ['0.0.0.0/0', '::/0'], 'unknown', false],
    ])('%s', (_what, entries, address, isListed) => {
      expect(networkList(entries).has(address)).toBe(isListed);
    });
  });

  describe('what one caller holds', () => {
    test.each([
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8:0:0'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['::1', '0:0:0:0'],
      ['fe80::', 'fe80:0:0:0'],
    ])('of %s is %s', (address, block) => {
      expect(addressBlock(address)).toBe(block);
    });
  });
});
