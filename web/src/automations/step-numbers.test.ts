import { expect, test } from '@jest/globals';
import type {
  AutomationDefinition,
  AutomationSend,
} from '@tidings/contracts/automations/definition';
import { rehearsedNumbers, reportNumbers, type StepReport } from './step-numbers.ts';

const MAIL: AutomationSend = { channel: 'EMAIL', message: { body: 'Hello' } };
const SMS: AutomationSend = { channel: 'SMS', message: { body: 'Hello' } };
const PUSH: AutomationSend = { channel: 'WEB_PUSH', message: { body: 'Hello' } };
const SENT = {
  total: 5,
  pending: 0,
  waiting: 0,
  sent: 4,
  // Of an e-mail those who opened it: no one reports more.
  delivered: 2,
  displayed: 2,
  opened: 2,
  clicked: 1,
  failed: 0,
  unknown: 0,
  expired: 0,
  canceled: 0,
};

test.each([
  ['an e-mail, which reports no delivery', MAIL, '50 % opened, 25 % clicked'],
  ['a push, of those delivered', PUSH, '100 % opened, 50 % clicked'],
  ['a push, then an e-mail', { try: [PUSH, MAIL] }, '50 % opened, 25 % clicked'],
  ['a push, then an SMS', { try: [PUSH, SMS] }, '100 % opened, 50 % clicked'],
] as const)('opens and clicks of a step are shares of what was sent: %s', (_of, send, words) => {
  const nodes = [{ id: 'one', send }];
  const report: StepReport = { id: 'one', entered: 5, waiting: 0, passed: 5, sent: SENT };

  const numbers = reportNumbers({ nodes } as unknown as AutomationDefinition, [report]);

  expect(numbers.get('one')?.words.replaceAll('\u202f', ' ').replaceAll('\u00a0', ' ')).toBe(words);
});

test.each([
  [1, {}, '1 message'],
  [2, {}, '2 messages'],
  [1, { filter: 1 }, '1 message, 1 not reached'],
])('messages of a rehearsed step agree with their number: %s', (sent, skipped, text) => {
  const definition = { nodes: [{ id: 'one', send: MAIL }] } as unknown as AutomationDefinition;
  const rehearsed = { id: 'one', entered: 2, waiting: 0, passed: 2, sent, skipped };

  const { count, words } = rehearsedNumbers(definition, [rehearsed]).get('one') ?? {};

  expect(`${count ?? ''} ${words ?? ''}`).toBe(text);
});
