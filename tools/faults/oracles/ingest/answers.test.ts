import { expect, test } from '@jest/globals';
import { createLedger } from '../../load/ledger.ts';
import type { Attempt } from '../../load/post.ts';
import { checkAnswers, type AnswerRules } from './answers.ts';

const RULES: AnswerRules = { outages: [], mayBreak: false, mustAccept: false, cpuWaitMs: () => 0 };
const OUTAGE = { from: 10, to: 100 };

function ledgerOf(...attempts: Attempt[]) {
  const ledger = createLedger();
  const entry = { attempts: [] };
  ledger.open(entry);
  for (const attempt of attempts) ledger.noteSent(entry, attempt);
  return ledger;
}

const answer = (status: number, own: Partial<Attempt> = {}): Attempt => ({
  sentAt: 20,
  answeredAt: 30,
  status,
  ...(status === 503 && { retryAfter: '1' }),
  ...own,
});

test.each<[string, Attempt[], Partial<AnswerRules>]>([
  ['200 and 503', [answer(200), answer(503)], {}],
  [
    'a response that was late for lack of CPU',
    [answer(503, { answeredAt: 10_500 })],
    { cpuWaitMs: () => 1_000 },
  ],
  ['a broken connection to a server that is killed', [answer(0)], { mayBreak: true }],
  ['408 of a server that was frozen', [answer(408)], { frozen: [{ from: 10, to: 25 }] }],
  [
    'a response after 10 s, of which a server was frozen for some',
    [answer(200, { answeredAt: 15_000 })],
    { frozen: [{ from: 1_000, to: 7_000 }] },
  ],
  [
    '503 while Kafka is away, and 200 for what was sent before or answered after',
    [answer(503), answer(200, { sentAt: 5 }), answer(200, { answeredAt: 110 })],
    { outages: [OUTAGE] },
  ],
])('accepts %s', (_, attempts, rules) => {
  expect(checkAnswers(ledgerOf(...attempts), { ...RULES, ...rules }).faults).toEqual([]);
});

test.each<[string, Attempt[], Partial<AnswerRules>]>([
  ['500', [answer(500)], {}],
  ['400', [answer(400)], {}],
  ['408', [answer(408)], {}],
  ['408 at another time', [answer(408)], { frozen: [{ from: 31, to: 40 }] }],
  [
    'a response that is too late without the time in which a server was frozen',
    [answer(200, { answeredAt: 15_000 })],
    { frozen: [{ from: 1_000, to: 5_000 }] },
  ],
  ['a broken connection', [answer(0)], {}],
  ['no answer at all', [{ sentAt: 1 }], { mayBreak: true }],
  ['503 where all must be accepted', [answer(503)], { mustAccept: true }],
  ['503 without Retry-After', [answer(503, { retryAfter: undefined })], {}],
  ['an answer after 10 s', [answer(503, { answeredAt: 10_021 })], {}],
  [
    'an answer that waited for more than a CPU',
    [answer(503, { answeredAt: 11_500 })],
    { cpuWaitMs: () => 1_000 },
  ],
  [
    'a response that was late before the lack of CPU',
    [answer(503, { answeredAt: 15_000 })],
    { cpuWaitMs: ({ from, to }) => (to - from) / 2 },
  ],
  ['200 while Kafka is away', [answer(200), answer(503)], { outages: [OUTAGE] }],
  [
    'an outage in which nothing was refused',
    [answer(503, { sentAt: 200, answeredAt: 201 })],
    { outages: [OUTAGE] },
  ],
])('reports %s', (_, attempts, rules) => {
  expect(checkAnswers(ledgerOf(...attempts), { ...RULES, ...rules }).faults.length).toBeGreaterThan(
    0,
  );
});
