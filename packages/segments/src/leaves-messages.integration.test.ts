import { afterAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase } from '@tidings/testing';
import { explainMembership } from './explain.ts';
import { createLeafCases, DAY, NOW, CAMPAIGNS, type Sketch } from './testing/leaf-cases.ts';
import type { StoredMessage } from './testing/population.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { ask, check } = createLeafCases(db);

const { mail, second, receipt, sms } = CAMPAIGNS;
const campaignId = mail.id;

const messageOf = (campaign: { readonly id: string }, rest: Partial<StoredMessage> = {}) => ({
  campaignId: campaign.id,
  isTest: false,
  sent: NOW - DAY,
  delivered: null,
  opened: null,
  clicked: null,
  ...rest,
});
const got = (...messages: readonly StoredMessage[]): Sketch => ({ messages });

describe('messages of a campaign', () => {
  check([
    [
      'that were opened in a window',
      { message: { campaignId }, was: 'opened', within: '1d' },
      {
        at: got(messageOf(mail, { opened: NOW - DAY })),
        in: got(messageOf(mail, { opened: NOW - DAY + 1 })),
        other: got(messageOf(second, { opened: NOW - DAY + 1 })),
        not: got(messageOf(mail)),
        none: {},
      },
      ['in'],
    ],
    [
      'that were sent',
      { not: { message: { campaignId }, was: 'sent' } },
      {
        sent: got(messageOf(mail)),
        waiting: got(messageOf(mail, { sent: null })),
        test: got(messageOf(mail, { isTest: true })),
        none: {},
      },
      ['none', 'test', 'waiting'],
    ],
  ]);
});

describe('messages of any campaign', () => {
  check([
    [
      'by channel and purpose: no marketing e-mail in the last 7 days',
      {
        not: { message: { channel: 'EMAIL', purpose: 'marketing' }, was: 'sent', within: '7d' },
      },
      {
        mail: got(messageOf(mail)),
        edge: got(messageOf(mail, { sent: NOW - 7 * DAY })),
        inside: got(messageOf(second, { sent: NOW - 7 * DAY + 1 })),
        ahead: got(messageOf(mail, { sent: NOW + 1 })),
        now: got(messageOf(mail, { sent: NOW })),
        receipt: got(messageOf(receipt)),
        sms: got(messageOf(sms)),
        waiting: got(messageOf(mail, { sent: null })),
        test: got(messageOf(mail, { isTest: true })),
        none: {},
      },
      ['ahead', 'edge', 'none', 'receipt', 'sms', 'test', 'waiting'],
    ],
    [
      'by channel alone',
      { message: { channel: 'EMAIL' }, was: 'sent' },
      { mail: got(messageOf(mail)), receipt: got(messageOf(receipt)), sms: got(messageOf(sms)) },
      ['mail', 'receipt'],
    ],
    [
      'by purpose alone',
      { message: { purpose: 'marketing' }, was: 'sent' },
      { mail: got(messageOf(mail)), receipt: got(messageOf(receipt)), sms: got(messageOf(sms)) },
      ['mail', 'sms'],
    ],
    [
      'by tag, in its letter case',
      { message: { tag: 'news' }, was: 'sent' },
      {
        none: got(messageOf(mail)),
        both: got(messageOf(second)),
        capital: got(messageOf(receipt)),
      },
      ['both'],
    ],
    [
      'by tag in any script, and channel',
      { message: { tag: 'מבצע', channel: 'SMS' }, was: 'sent' },
      { second: got(messageOf(second)), sms: got(messageOf(sms)) },
      ['sms'],
    ],
    [
      'all of them',
      { message: {}, was: 'opened' },
      {
        receipt: got(messageOf(receipt, { opened: NOW - DAY })),
        test: got(messageOf(sms, { isTest: true, opened: NOW - DAY })),
        closed: got(messageOf(mail)),
        none: {},
      },
      ['receipt'],
    ],
    [
      'at least two of them',
      { message: { channel: 'EMAIL' }, was: 'sent', count: { gte: 2 } },
      {
        one: got(messageOf(mail)),
        two: got(messageOf(mail), messageOf(receipt)),
        three: got(messageOf(mail), messageOf(second), messageOf(receipt)),
        other: got(messageOf(mail), messageOf(sms)),
        early: got(messageOf(mail), messageOf(second, { sent: null })),
        test: got(messageOf(mail), messageOf(second, { isTest: true })),
      },
      ['three', 'two'],
    ],
    [
      'at most one of them',
      { message: {}, was: 'clicked', count: { lte: 1 } },
      {
        none: {},
        one: got(messageOf(mail, { clicked: NOW }), messageOf(sms)),
        two: got(messageOf(mail, { clicked: NOW }), messageOf(sms, { clicked: NOW - DAY })),
      },
      ['none', 'one'],
    ],
    [
      'between two instants, of which the second is excluded',
      { message: {}, was: 'sent', from: NOW - 2 * DAY, to: NOW - DAY },
      {
        before: got(messageOf(mail, { sent: NOW - 2 * DAY - 1 })),
        first: got(messageOf(mail, { sent: NOW - 2 * DAY })),
        last: got(messageOf(mail, { sent: NOW - DAY - 1 })),
        end: got(messageOf(mail, { sent: NOW - DAY })),
      },
      ['first', 'last'],
    ],
    [
      'in a window further than the calendar of the database',
      {
        message: {},
        was: 'sent',
        from: -8_640_000_000_000_000,
        to: 8_640_000_000_000_000,
      },
      { sent: got(messageOf(mail)), ahead: got(messageOf(mail, { sent: NOW + DAY })), none: {} },
      ['sent'],
    ],
  ]);
});

describe('an explanation of messages', () => {
  const evidenceOf = async (condition: Condition, user: Sketch) => {
    const { question } = await ask(condition, { ada: user }, {});
    const explanation = await explainMembership(db.sql, question, { customUserId: 'ada' });
    return explanation?.tree.map(({ pointer: _pointer, ...node }) => node);
  };

  test('has how many, and when the first and the last', async () => {
    const messages = got(
      messageOf(mail, { sent: NOW - 3 * DAY }),
      messageOf(second, { sent: NOW - 2 * DAY }),
      messageOf(receipt, { sent: NOW - DAY }),
      messageOf(sms),
    );

    expect(
      await evidenceOf({ message: { channel: 'EMAIL' }, was: 'sent', count: { gte: 4 } }, messages),
    ).toEqual([
      {
        key: 'message',
        result: false,
        evidence: { count: 3, first: NOW - 3 * DAY, last: NOW - DAY },
      },
    ]);
  });

  test('has a count of 0 where there was none', async () => {
    expect(await evidenceOf({ message: {}, was: 'sent' }, {})).toEqual([
      { key: 'message', result: false, evidence: { count: 0 } },
    ]);
  });

  test('has when the message of a campaign got there', async () => {
    expect(
      await evidenceOf({ message: { campaignId }, was: 'sent' }, got(messageOf(mail))),
    ).toEqual([{ key: 'message', result: true, evidence: { at: NOW - DAY } }]);
  });
});
