import { afterEach, describe, expect, test } from '@jest/globals';
import {
  APPLICATION_ID,
  CLIENT_KEY,
  SERVER_HEADERS,
  SERVER_KEY,
  batchWith,
  grantWith,
  startTestGateway,
  type TestGateway,
} from '../testing/test-gateway.ts';

const running: TestGateway[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway[Symbol.asyncDispose]()));
});

type Rules = {
  readonly allowList: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly isClientExempt?: boolean;
};

/** A gateway that gets requests from 127.0.0.1, a trusted proxy by default. */
async function gatewayWith({
  allowList,
  trustedProxies = ['127.0.0.1'],
  isClientExempt = false,
}: Rules): Promise<TestGateway> {
  const rules = { allowList, settings: { allowListExemptsClientKeys: isClientExempt } };
  const gateway = await startTestGateway({
    trustedProxies,
    findKeyGrant: async (_applicationId, key) => {
      if (key === SERVER_KEY) return grantWith(APPLICATION_ID, 'server', rules);
      return key === CLIENT_KEY ? grantWith(APPLICATION_ID, 'client', rules) : null;
    },
  });
  running.push(gateway);
  return gateway;
}

/** The status and code of a valid call with these headers. */
async function answerTo(
  gateway: TestGateway,
  headers: Readonly<Record<string, string>>,
  path = '/',
) {
  const { status, problem } = await gateway.post(batchWith(), {
    headers: { ...SERVER_HEADERS, ...headers },
    path,
  });
  return [status, problem.code];
}

const ALLOWED = [200, undefined];
const REJECTED = [403, 'ip_not_allowed'];

describe('the allow-list of an application', () => {
  test.each<[string, readonly string[], string, unknown]>([
    ['a network', ['10.0.0.0/8'], '10.1.2.3', ALLOWED],
    ['outside of it', ['10.0.0.0/8'], '11.1.2.3', REJECTED],
    ['IPv4 as IPv6', ['10.0.0.0/8'], '::ffff:10.1.2.3', ALLOWED],
    ['a zone', ['fe80::/10'], 'fe80::1%eth0', ALLOWED],
    ['a port', ['10.0.0.0/8'], '10.1.2.3:555', ALLOWED],
    ['IPv6 with a port', ['2001:db8::/32'], '[2001:db8::1]:555', ALLOWED],
    ['several addresses: the last is who called', ['10.0.0.0/8'], '192.0.2.1, 10.1.2.3', ALLOWED],
    [
      'several addresses: what is before the last is a claim',
      ['10.0.0.0/8'],
      '10.1.2.3, 192.0.2.1',
      REJECTED,
    ],
    ['an empty header: the proxy itself', ['10.0.0.0/8'], '', REJECTED],
    ['garbage', ['0.0.0.0/0', '::/0'], 'not-an-address', REJECTED],
    ['IPv6 /0', ['::/0'], '2001:db8::1', ALLOWED],
    ['IPv6 /0 and IPv4', ['::/0'], '10.1.2.3', REJECTED],
    ['IPv6 /64', ['2001:db8:1:2::/64'], '2001:db8:1:2::ffff', ALLOWED],
    ['outside of IPv6 /64', ['2001:db8:1:2::/64'], '2001:db8:1:3::ffff', REJECTED],
    ['IPv6 /128', ['2001:db8::1/128'], '2001:db8::1', ALLOWED],
    ['IPv4 /32', ['10.1.2.3/32'], '10.1.2.3', ALLOWED],
    ['outside of IPv4 /32', ['10.1.2.3/32'], '10.1.2.4', REJECTED],
    ['overlapping networks', ['10.1.0.0/16', '10.0.0.0/8'], '10.2.0.1', ALLOWED],
    ['host bits', ['10.1.2.3/8'], '10.9.9.9', ALLOWED],
    ['all of IPv4', ['0.0.0.0/0'], '203.0.113.5', ALLOWED],
    ['the last entry is gone', [], '203.0.113.5', ALLOWED],
  ])('%s', async (_what, allowList, forwardedFor, expected) => {
    const gateway = await gatewayWith({ allowList });

    expect(await answerTo(gateway, { 'X-Forwarded-For': forwardedFor })).toEqual(expected);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['X-Forwarded-For', { 'X-Forwarded-For': '10.1.2.3' }],
    ['X-Real-IP', { 'X-Real-IP': '10.1.2.3' }],
    ['Forwarded', { Forwarded: 'for=10.1.2.3' }],
    [
      'all of them',
      {
        'X-Forwarded-For': '10.1.2.3',
        'X-Real-IP': '10.1.2.3',
        Forwarded: 'for=10.1.2.3',
        'X-Client-IP': '10.1.2.3',
      },
    ],
  ])('is not passed by who claims an address himself: %s', async (_what, headers) => {
    const gateway = await gatewayWith({ allowList: ['10.0.0.0/8'], trustedProxies: [] });

    expect(await answerTo(gateway, headers)).toEqual(REJECTED);
  });

  test.each([
    ['through the proxy', '10.1.2.3, 203.0.113.5'],
    ['through two proxies', '10.1.2.3, 203.0.113.5, 192.0.2.1'],
  ])('is not passed by who claims an address %s', async (_how, forwardedFor) => {
    const gateway = await gatewayWith({
      allowList: ['10.0.0.0/8'],
      trustedProxies: ['127.0.0.1', '192.0.2.0/24'],
    });

    expect(await answerTo(gateway, { 'X-Forwarded-For': forwardedFor })).toEqual(REJECTED);
  });

  test('names who connects where no proxy is trusted', async () => {
    const gateway = await gatewayWith({ allowList: ['127.0.0.0/8'], trustedProxies: [] });

    expect(await answerTo(gateway, {})).toEqual(ALLOWED);
  });

  test('is not spoken of to who has no valid key', async () => {
    const gateway = await gatewayWith({ allowList: ['10.0.0.0/8'] });
    const wrong = { 'X-API-Key': 'sk_wrong' };

    expect(await answerTo(gateway, wrong)).toEqual([403, 'forbidden']);
    expect(await answerTo(gateway, { ...wrong, 'X-Forwarded-For': '10.1.2.3' })).toEqual([
      403,
      'forbidden',
    ]);
  });

  test('holds for campaigns too, and comes before what the key may do', async () => {
    const gateway = await gatewayWith({ allowList: ['10.0.0.0/8'] });

    expect(await answerTo(gateway, {}, '/push')).toEqual(REJECTED);
    expect(await answerTo(gateway, { 'X-API-Key': CLIENT_KEY }, '/push')).toEqual(REJECTED);
    expect(
      await answerTo(gateway, { 'X-API-Key': CLIENT_KEY, 'X-Forwarded-For': '10.1.2.3' }, '/push'),
    ).toEqual([403, 'client_key_forbidden']);
  });

  test('holds for Client keys, unless the application exempts them', async () => {
    const bound = await gatewayWith({ allowList: ['10.0.0.0/8'] });
    const exempt = await gatewayWith({ allowList: ['10.0.0.0/8'], isClientExempt: true });
    const client = { 'X-API-Key': CLIENT_KEY };

    expect([
      await answerTo(bound, client),
      await answerTo(exempt, client),
      await answerTo(exempt, {}),
    ]).toEqual([REJECTED, ALLOWED, REJECTED]);
  });

  test('is in the ingest log with the address that was rejected', async () => {
    const gateway = await gatewayWith({ allowList: ['10.0.0.0/8'] });

    await answerTo(gateway, { 'X-Forwarded-For': '203.0.113.5' });

    expect(gateway.rejections).toEqual([
      expect.objectContaining({
        code: 'ip_not_allowed',
        address: '203.0.113.5',
        applicationId: APPLICATION_ID,
      }),
    ]);
  });
});
