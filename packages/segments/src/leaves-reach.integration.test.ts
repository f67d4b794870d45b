import { afterAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase } from '@tidings/testing';
import { explainMembership } from './explain.ts';
import { order, createLeafCases, type Sketch } from './testing/leaf-cases.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { ask, membersOf, check } = createLeafCases(db);

describe('reachability', () => {
  const email = (address: string): Sketch => ({ fields: { email: address } });
  const device = (rest: object): Sketch => ({
    devices: [
      { kind: 'web_push', hasAddress: true, timeZone: null, seenAt: 1, isProof: true, ...rest },
    ],
  });
  check([
    [
      'by e-mail: one valid address',
      { reachable: 'EMAIL' },
      {
        ascii: email('ada@example.com'),
        unicode: email('ada@müller.example'),
        two: email('a@b.c,d@e.f'),
        space: email('a b@c.d'),
        around: email(' \u00a0ada@example.com\r\n'),
        blank: email(' '),
        wide: email('ada@★.example'),
        empty: email(''),
        none: {},
        object: { fields: { email: { address: 'ada@example.com' } } },
      },
      ['around', 'ascii', 'unicode'],
    ],
    [
      'by e-mail: its local part has at most 64 characters, all of it 254 UTF-16 units',
      { reachable: 'EMAIL' },
      {
        local64: email(`${'a'.repeat(64)}@example.com`),
        local65: email(`${'a'.repeat(65)}@example.com`),
        // Lower case of the Kelvin sign is an ASCII letter.
        kelvin64: email(`${'K'.repeat(64)}@example.com`),
        kelvin65: email(`${'K'.repeat(65)}@example.com`),
        all254: email(`a@${'b'.repeat(252)}`),
        all255: email(`a@${'b'.repeat(253)}`),
        wide254: email(`${'😀'.repeat(64)}@${'ü'.repeat(125)}`),
        wide255: email(`${'😀'.repeat(64)}@${'ü'.repeat(126)}`),
      },
      ['all254', 'kelvin64', 'local64', 'wide254'],
    ],
    [
      'by SMS: a number in E.164',
      { reachable: 'SMS' },
      {
        valid: { fields: { phoneNumber: '0170 1' }, phoneE164: '+491701234567' },
        invalid: { fields: { phoneNumber: '0170 1' } },
        digits7: { fields: { phoneNumber: '1' }, phoneE164: `+1${'2'.repeat(6)}` },
        digits6: { fields: { phoneNumber: '1' }, phoneE164: `+1${'2'.repeat(5)}` },
        digits15: { fields: { phoneNumber: '1' }, phoneE164: `+1${'2'.repeat(14)}` },
        digits16: { fields: { phoneNumber: '1' }, phoneE164: `+1${'2'.repeat(15)}` },
        none: {},
      },
      ['digits15', 'digits7', 'valid'],
    ],
    [
      'by web push: a proved device with an address',
      { reachable: 'WEB_PUSH' },
      {
        yes: device({}),
        other: device({ kind: 'fcm' }),
        gone: device({ hasAddress: false }),
        claimed: device({ isProof: false }),
      },
      ['yes'],
    ],
    ['by id', { reachable: 'IN_APP' }, { ada: {} }, ['ada']],
    ['by a channel that does not send', { not: { reachable: 'WEB_HOOK' } }, { ada: {} }, ['ada']],
  ]);

  test('a suppressed address is not reached; an unsubscribed one only by marketing', async () => {
    const users = {
      ada: email('Ada@example.com'),
      bob: email('bob@example.com'),
      carl: email('c@example.com'),
    };
    const suppressions = [
      { channel: 'EMAIL', address: 'ada@example.com', reason: 'unsubscribed' },
      { channel: 'EMAIL', address: 'bob@example.com', reason: 'suppressed_bounce' },
      { channel: 'SMS', address: 'c@example.com', reason: 'sms_stop' },
    ] as const;
    const reached = (condition: Condition) => membersOf(condition, users, { suppressions });

    expect(await reached({ reachable: 'EMAIL' })).toEqual(['ada', 'carl']);
    expect(await reached({ reachable: 'EMAIL', purpose: 'marketing' })).toEqual(['carl']);
  });

  test('a suppressed mailbox is not reached in any spelling', async () => {
    const users = {
      ada: email('ada@MÜNCHEN.example'),
      bob: email('bob@xn--mnchen-3ya.example'),
      carl: email(' Ｃarl@münchen.example'),
      eve: email('eve@munchen.example'),
    };
    const suppressions = [
      'ada@xn--mnchen-3ya.example',
      'bob@münchen.example',
      'carl@münchen.example',
    ].map((address) => ({ channel: 'EMAIL', address, reason: 'suppressed_bounce' }) as const);

    expect(await membersOf({ reachable: 'EMAIL' }, users, { suppressions })).toEqual(['eve']);
  });

  test('an untested channel sends if the application says so', async () => {
    const untested = { channels: { IN_APP: 'untested' } } as const;
    const reached = (sendUntested: boolean) =>
      membersOf({ reachable: 'IN_APP' }, { ada: {} }, { ...untested, sendUntested });

    expect([await reached(false), await reached(true)]).toEqual([[], ['ada']]);
  });
});

describe('an explanation', () => {
  test.each<[reason: string | undefined, condition: Condition, user: Sketch]>([
    ['channel_not_configured', { reachable: 'WEB_HOOK' }, {}],
    ['no_address', { reachable: 'EMAIL' }, {}],
    ['hashed_only', { reachable: 'SMS' }, { fields: { hashedPhoneNumber: 'hash' } }],
    ['invalid_address', { reachable: 'EMAIL' }, { fields: { email: 'ada' } }],
    ['no_subscription', { reachable: 'WEB_PUSH' }, {}],
    [
      'unsubscribed',
      { reachable: 'EMAIL', purpose: 'marketing' },
      { fields: { email: 'ada@example.com' } },
    ],
    [undefined, { reachable: 'EMAIL' }, { fields: { email: 'ada@example.com' } }],
  ])('says why a channel does not reach the user: %s', async (reason, condition, user) => {
    const { question } = await ask(
      condition,
      { ada: user },
      {
        suppressions: [{ channel: 'EMAIL', address: 'ada@example.com', reason: 'unsubscribed' }],
      },
    );

    const explanation = await explainMembership(db.sql, question, { customUserId: 'ada' });

    expect(explanation).toEqual({
      isMember: reason === undefined,
      tree: [
        {
          pointer: '',
          key: 'reachable',
          result: reason === undefined,
          ...(reason !== undefined && { evidence: { reason } }),
        },
      ],
    });
  });

  test('has the events that count, and their sum', async () => {
    const condition: Condition = { event: 'order', sum: { gt: 1000 }, currency: 'EUR' };
    const { question } = await ask(
      condition,
      {
        ada: {
          events: [
            order(0.1, { time: 1, messageId: 'a' }),
            order(0.2, { time: 2, messageId: 'b' }),
            order(9, { time: 3, messageId: 'c', currency: 'USD' }),
          ],
        },
      },
      {},
    );

    expect((await explainMembership(db.sql, question, { customUserId: 'ada' }))?.tree).toEqual([
      {
        pointer: '',
        key: 'event',
        result: false,
        evidence: { count: 2, sum: 0.3, first: 1, last: 2, eventIds: ['b', 'a'] },
      },
    ]);
  });

  test('has the value with its type, and nothing where there is none', async () => {
    const of = async (value: unknown) => {
      const { question } = await ask(
        { attribute: 'a', exists: true },
        { ada: { customAttributes: value === undefined ? {} : { a: value } } },
        {},
      );
      return (await explainMembership(db.sql, question, { customUserId: 'ada' }))?.tree[0]
        ?.evidence;
    };

    expect(await of('2026-06-15T12:00:00.000Z')).toEqual({
      value: '2026-06-15T12:00:00.000Z',
      type: 'date',
    });
    expect(await of(9_007_199_254_740_993n)).toEqual({
      value: 9_007_199_254_740_993n,
      type: 'number',
    });
    expect(await of({ b: null })).toEqual({ value: { b: null }, type: 'object' });
    expect(await of(undefined)).toBeUndefined();
  });

  test('is null of who is not registered', async () => {
    const { question } = await ask({ attribute: 'a', is: 1 }, { ada: { registeredAt: null } }, {});

    expect(await explainMembership(db.sql, question, { customUserId: 'ada' })).toBeNull();
    expect(await explainMembership(db.sql, question, { customUserId: 'unregistered' })).toBeNull();
  });
});
