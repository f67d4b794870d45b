import { expect, test } from '@jest/globals';
import { compareCounts } from './counts.ts';
import type { StoredCount, StoredLine, StoredRun } from './stored-runs.ts';

const run = { runId: 'r1', status: 'completed', hasGoal: false } as StoredRun;
const line = (node: string, outcome: StoredLine['outcome'], reason: string | null = null) =>
  ({ runId: 'r1', node, outcome, reason }) as StoredLine;
const lines = [
  line('', 'entered'),
  line('minute', 'waiting'),
  line('minute', 'passed'),
  line('half', 'passed', '0'),
  line('mail1', 'sent'),
];
const count = (node: string, outcome: string, n = 1, reason = ''): StoredCount => ({
  node,
  outcome,
  reason,
  n,
});
const right = [
  count('', 'entered'),
  count('', 'completed'),
  count('minute', 'entered'),
  count('minute', 'passed'),
  count('half', 'entered'),
  count('half', 'passed', 1, '0'),
  count('mail1', 'entered'),
  count('mail1', 'sent'),
];

test('counters that equal the runs and their lines differ in nothing', () => {
  expect(compareCounts({ runs: [run], lines, counts: right })).toEqual([]);
});

test('a send that is counted twice, one that is not counted, and a goal without a run are found', () => {
  const counts = [
    ...right.filter(({ node, outcome }) => `${node} ${outcome}` !== 'minute passed'),
    count('mail1', 'sent'),
    count('', 'goal'),
  ];

  expect(compareCounts({ runs: [run], lines, counts: mergeLast(counts) })).toEqual([
    'automation goal: 1 counted, 0 stored',
    'mail1 sent: 2 counted, 1 stored',
    'minute passed: 0 counted, 1 stored',
  ]);
});

/** As the query groups them. */
function mergeLast(counts: readonly StoredCount[]): StoredCount[] {
  return [
    ...Map.groupBy(counts, ({ node, outcome, reason }) => `${node} ${outcome} ${reason}`).values(),
  ].map((same) => ({
    node: same[0]?.node ?? '',
    outcome: same[0]?.outcome ?? '',
    reason: same[0]?.reason ?? '',
    n: same.reduce((sum, { n }) => sum + n, 0),
  }));
}
