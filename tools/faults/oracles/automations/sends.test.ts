import { expect, test } from '@jest/globals';
import { checkSends } from './sends.ts';
import type { StoredLine, StoredMessage, StoredRun } from './stored-runs.ts';

const runs = [
  { runId: 'r1', customUserId: 'ada' },
  { runId: 'r2', customUserId: 'bob' },
] as StoredRun[];
const sent = (runId: string, deliveryId: string | null, node = 'mail1') =>
  ({ runId, node, outcome: 'sent', deliveryId }) as StoredLine;
const message = (deliveryId: string, customUserId: string, state = 'sent'): StoredMessage => ({
  deliveryId,
  campaignId: 'c',
  customUserId,
  state,
});
const lines = [sent('r1', 'd1'), sent('r2', 'd2')];
const messages = [message('d1', 'ada'), message('d2', 'bob')];
const arrived = (...ids: readonly string[]) => ids.map((deliveryId) => ({ deliveryId }));

test('each send has its delivery, and each delivery its message', () => {
  expect(checkSends({ runs, lines, messages }, arrived('d1', 'd2', 'of another'))).toEqual({
    twice: [],
    missing: [],
    unmatched: [],
    unknown: 0,
    mails: 2,
  });
});

test('a message that arrived twice, and one that did not, are found', () => {
  expect(checkSends({ runs, lines, messages }, arrived('d1', 'd1'))).toMatchObject({
    twice: ['the delivery d1 arrived 2 times'],
    missing: ['the message of mail1 of run r2 did not arrive, its delivery is sent'],
  });
});

test('what may have left is neither missing nor expected', () => {
  const unsure = [message('d1', 'ada'), message('d2', 'bob', 'unknown')];

  expect(checkSends({ runs, lines, messages: unsure }, arrived('d1'))).toMatchObject({
    missing: [],
    unknown: 1,
  });
});

test.each<[string, readonly StoredLine[], readonly StoredMessage[]]>([
  ['a send without a delivery', [sent('r1', null), sent('r2', 'd2')], [message('d2', 'bob')]],
  ['a delivery without a send', [sent('r1', 'd1')], messages],
  ['one delivery of two sends', [...lines, sent('r2', 'd1', 'mail2')], messages],
  [
    'a node that was passed twice',
    [...lines, sent('r1', 'd3')],
    [...messages, message('d3', 'ada')],
  ],
  ['a delivery to another person', lines, [message('d1', 'bob'), message('d2', 'bob')]],
])('%s is found', (_what, own, deliveries) => {
  const { unmatched } = checkSends(
    { runs, lines: own, messages: deliveries },
    arrived('d1', 'd2', 'd3'),
  );

  expect(unmatched).toHaveLength(1);
});
