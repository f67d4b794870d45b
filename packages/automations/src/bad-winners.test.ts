import { describe, expect, test } from '@jest/globals';
import { branch, eventDefinition, hour, mail, tableOf } from './testing/tables.ts';

const { withNodes, faultsOf: read } = tableOf({
  definitions: [eventDefinition('order', { kind: 'revenue' })],
  trigger: { api: true },
  nodes: [],
});
/** A split that looks for the better of two branches. */
const split = (winner: object, second: readonly unknown[] = [mail('b')]): object => ({
  id: 'split',
  split: [
    { weight: 1, nodes: [mail('a')] },
    { weight: 1, nodes: second },
  ],
  winner: { by: 'clicked', after: '1d', ...winner },
});

describe('faults have a pointer and a code', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    [
      'a winner of one branch',
      withNodes({ ...split({}), split: [{ weight: 1, nodes: [mail('a')] }] }),
      ['/nodes/0/split out_of_range'],
    ],
    [
      'a winner that is none',
      withNodes({ ...split({}), winner: true }),
      ['/nodes/0/winner wrong_type'],
    ],
    [
      'a winner by nothing, at no time',
      withNodes({ ...split({}), winner: {} }),
      ['/nodes/0/winner/by required', '/nodes/0/winner/after required'],
    ],
    [
      'a winner by what is not compared',
      withNodes(split({ by: 'opened' })),
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner of a part, as campaigns have it',
      withNodes(split({ percent: 20 })),
      ['/nodes/0/winner/percent invalid_value'],
    ],
    [
      'a winner by clicks where a branch has no message',
      withNodes(split({}, [hour])),
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner by clicks where a branch is empty',
      withNodes(split({}, [])),
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner by clicks where a branch has a message of another kind, without clicks',
      withNodes(split({}, [{ id: 'b', send: { channel: 'SMS', message: { body: 'Text' } } }])),
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner by clicks on a message after the split',
      withNodes(split({}, [hour]), mail('c')),
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner by a goal without one',
      { ...withNodes(split({ by: 'goal' })), exit: [{ event: 'order' }] },
      ['/nodes/0/winner/by invalid_value'],
    ],
    [
      'a winner within minutes',
      withNodes(split({ after: '14m' })),
      ['/nodes/0/winner/after out_of_range'],
    ],
    [
      'a winner after more than a month',
      withNodes(split({ after: '31d' })),
      ['/nodes/0/winner/after out_of_range'],
    ],
    [
      'a winner after no duration',
      withNodes(split({ after: '3 days' })),
      ['/nodes/0/winner/after invalid_value'],
    ],
    [
      'a winner of nine runs',
      withNodes(split({ minimum: 9 })),
      ['/nodes/0/winner/minimum out_of_range'],
    ],
    [
      'a winner of half a run',
      withNodes(split({ minimum: 10.5 })),
      ['/nodes/0/winner/minimum wrong_type'],
    ],
    [
      'a winner of a question',
      withNodes({ ...branch('b', [mail('a')]), winner: { by: 'clicked', after: '1d' } }),
      ['/nodes/0/winner invalid_value'],
    ],
    [
      'a faulty winner within a branch',
      withNodes(branch('a-question', [split({ after: '1m' })])),
      ['/nodes/0/then/0/winner/after out_of_range'],
    ],
  ])('%s', (_what, value, errors) => {
    expect(read(value)).toEqual(errors);
  });
});

describe('what is taken', () => {
  test.each<readonly [string, unknown]>([
    ['a winner by clicks', withNodes(split({ minimum: 10 }))],
    ['a winner after a month', withNodes(split({ after: '30d' }))],
    [
      'a winner by a goal, also without messages',
      {
        ...withNodes(split({ by: 'goal', after: '15m' }, [])),
        exit: [{ event: 'order', as: 'goal' }],
      },
    ],
    [
      'a winner by clicks on messages within branches, by different channels',
      withNodes(
        split({}, [
          branch('deep', [{ id: 'b', send: { channel: 'WEB_PUSH', message: { title: 'Hello' } } }]),
        ]),
      ),
    ],
  ])('%s', (_what, value) => {
    expect(read(value)).toEqual([]);
  });
});
