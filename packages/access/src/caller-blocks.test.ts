import { describe, expect, test } from '@jest/globals';
import { createClientAddressReader } from '@tidings/http/client-address';
import { createRecordingLogger } from '@tidings/testing';
import type { IncomingMessage } from 'node:http';
import { createCallerBlocks } from './caller-blocks.ts';

const requestFrom = (remoteAddress: string, forwardedFor?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  }) as unknown as IncomingMessage;

function createSubject(trustedProxies: readonly string[] = []) {
  const { logger, lines } = createRecordingLogger();
  const blocks = createCallerBlocks(createClientAddressReader(trustedProxies), logger);
  const warnings = () => lines.filter(({ level }) => level === 'warn').length;
  return {
    blockOf: (remoteAddress: string, forwardedFor?: string) =>
      blocks.blockOf(requestFrom(remoteAddress, forwardedFor)),
    warnings,
  };
}

describe('the block of a caller', () => {
  test.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address written as IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the /64 of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['the /64 of a short IPv6 address', '2001:db8::1', '2001:db8:0:0'],
  ])('is %s', (_what, address, block) => {
    const { blockOf } = createSubject();
    expect([blockOf(address), blockOf(address)]).toEqual([block, block]);
  });

  test.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.1.2.3',
  ])('is none for %s', (address) => {
    const { blockOf } = createSubject();
    expect([blockOf(address), blockOf(address)]).toEqual([null, null]);
  });

  test('is that of the visitor where a trusted proxy names one, and one for all unreadable addresses', () => {
    const { blockOf, warnings } = createSubject(['10.0.0.0/8']);

    expect([
      blockOf('10.0.0.1', '203.0.113.7'),
      blockOf('10.0.0.1', '203.0.113.8'),
      blockOf('10.0.0.1', 'unknown'),
    ]).toEqual(['203.0.113.7', '203.0.113.8', '']);
    expect(warnings()).toBe(0);
  });
});

describe('an untrusted proxy is logged once', () => {
  test('when callers come from a private address', () => {
    const { blockOf, warnings } = createSubject();

    for (let request = 0; request < 3; request += 1) blockOf('10.0.0.1', '203.0.113.7');

    expect(warnings()).toBe(1);
  });

  test('when one on this machine names visitors, and not when a program on this machine calls', () => {
    const { blockOf, warnings } = createSubject();
    blockOf('127.0.0.1');
    blockOf('127.0.0.1', '127.0.0.1');
    expect(warnings()).toBe(0);

    for (let request = 0; request < 3; request += 1)
      blockOf('127.0.0.1', '198.51.100.1, 203.0.113.7');

    expect(warnings()).toBe(1);
  });
});
