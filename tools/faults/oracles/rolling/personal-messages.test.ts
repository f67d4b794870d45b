import { expect, test } from '@jest/globals';
import { personalPush, type PersonalKind } from '../../load/personal/pushes.ts';
import { checkPersonalMessages, type PersonalEvidence } from './personal-messages.ts';

const NOW = 1_795_000_000_000;
/** A push to two users, the second of whom is hours behind the first time zone. */
function pushOf(kind: PersonalKind) {
  const push = personalPush({ kind, channel: 'EMAIL', key: 'k', users: 2 }, NOW);
  push.attempts.push({ sentAt: 0, status: 200, campaignId: 'c1' });
  return push;
}

const delivery = (user: number, own: object = {}) => ({
  deliveryId: `d${user}`,
  campaignId: 'c1',
  customUserId: `user-${user}`,
  state: 'sent' as const,
  reason: null,
  ...own,
});
const message = (user: number, body: string, receivedAt = NOW + 60_000) => ({
  deliveryId: `d${user}`,
  body,
  receivedAt,
});

const BOTH: PersonalEvidence = {
  deliveries: [delivery(0), delivery(1)],
  arrived: [message(0, 'k for Name of user-0\n'), message(1, 'k for Name of user-1')],
};
const check = (kind: PersonalKind, evidence: Partial<PersonalEvidence> = {}) =>
  checkPersonalMessages([pushOf(kind)], { ...BOTH, ...evidence });

test('each recipient has one message with their own name', () => {
  expect(check('personalize')).toEqual({ lost: [], twice: [], wrong: [], right: 2 });
});

test.each<[string, Partial<PersonalEvidence>, string]>([
  [
    'a template as it is',
    { arrived: [message(0, 'k for {{ user.firstName }}'), ...BOTH.arrived.slice(1)] },
    'personalize by EMAIL, k, user-0: got "k for {{ user.firstName }}"',
  ],
  [
    'the name of another user',
    { arrived: [message(0, 'k for Name of user-1'), ...BOTH.arrived.slice(1)] },
    'personalize by EMAIL, k, user-0: got "k for Name of user-1"',
  ],
])('wrong: %s', (_name, evidence, found) => {
  expect(check('personalize', evidence).wrong).toEqual([found]);
});

test('wrong: before its time', () => {
  const arrived = [message(0, 'first c1 for Name of user-0', NOW)];

  expect(check('at a time', { arrived }).wrong).toEqual([
    'at a time by EMAIL, k, user-0: 10000 ms before its time',
  ]);
});

test('a local time: only users of the first zone have a message', () => {
  const arrived = [message(0, 'k to {{ all }}')];
  const deliveries = [delivery(0), delivery(1, { state: 'canceled' })];

  expect(check('at a local time', { arrived, deliveries })).toEqual({
    lost: [],
    twice: [],
    wrong: [],
    right: 1,
  });
  expect(
    check('at a local time', { arrived: [...arrived, message(1, 'k to {{ all }}')] }).wrong,
  ).toEqual(['at a local time by EMAIL, k, user-1: hours before its time']);
});

test('a split: the text of one of its templates', () => {
  const arrived = ['first', 'second'].map((name, user) =>
    message(user, `${name} c1 for Name of user-${user}`),
  );

  expect(check('split', { arrived })).toMatchObject({ wrong: [], right: 2 });
});

test.each<[string, Partial<PersonalEvidence>, string]>([
  ['no delivery', { deliveries: [delivery(0)] }, 'user-1: no delivery'],
  ['no message', { arrived: BOTH.arrived.slice(0, 1) }, 'user-1: nothing came'],
  [
    'no success',
    { deliveries: [delivery(0), delivery(1, { state: 'failed', reason: 'expired' })] },
    'user-1: failed expired',
  ],
])('lost: %s', (_name, evidence, found) => {
  expect(check('personalize', evidence).lost).toEqual([`personalize by EMAIL, k, ${found}`]);
});

test('twice: another message, or another delivery', () => {
  expect(check('personalize', { arrived: [...BOTH.arrived, ...BOTH.arrived] }).twice).toHaveLength(
    2,
  );
  expect(
    check('personalize', {
      deliveries: [...BOTH.deliveries, delivery(1, { deliveryId: 'd2' })],
    }).twice,
  ).toEqual(['k: 3 deliveries to 2']);
});
