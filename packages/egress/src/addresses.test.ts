import { describe, expect, test } from '@jest/globals';
import { createAddressPolicy } from './addresses.ts';

describe('an address that is not public is not reached', () => {
  const isAllowed = createAddressPolicy([]);

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['IETF protocols', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, long', '0:0:0:0:0:0:0:1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback in hex', '::ffff:7f00:1'],
    ['IPv4-mapped private', '::ffff:10.0.0.1'],
    ['IPv4-mapped metadata', '::ffff:a9fe:a9fe'],
    ['IPv4-mapped unspecified', '::ffff:0.0.0.0'],
    ['IPv4-compatible loopback', '::127.0.0.1'],
    ['IPv4-compatible private', '::a00:1'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a public address', '64:ff9b::808:808'],
    ['NAT64, local use', '64:ff9b:1::7f00:1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of private', '2002:a00:1::1'],
    ['Teredo', '2001:0:7f00:1::'],
    ['link-local', 'fe80::1'],
    ['link-local with zone', 'fe80::1%eth0'],
    ['link-local, end of range', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fc00::1'],
    ['unique local, cloud metadata', 'fd00:ec2::254'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['discard', '100::1'],
    ['ORCHID', '2001:10::1'],
    ['unassigned', '4000::1'],
  ])('%s %s', (_name, address) => {
    expect(isAllowed(address)).toBe(false);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
  ])('public: %s', (address) => {
    expect(isAllowed(address)).toBe(true);
  });
});

describe('allowed networks', () => {
  test('open exactly the addresses they hold', () => {
    const isAllowed = createAddressPolicy(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32']);

    expect(['10.1.2.3', 'fd00:1::5', '127.0.0.1', '::ffff:10.1.2.3'].map(isAllowed)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['10.2.0.1', 'fd00:2::5', '127.0.0.2', '::1', '169.254.169.254'].map(isAllowed)).toEqual(
      [false, false, false, false, false],
    );
  });

  test('a network that is not CIDR stops the start', () => {
    expect(() => createAddressPolicy(['10.0.0.0'])).toThrow();
    expect(() => createAddressPolicy(['intranet'])).toThrow();
  });
});
