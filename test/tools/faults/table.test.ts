import { expect, test } from '@jest/globals';
import type { RowResult } from './suites/suite.ts';
import { describeResult, formatTable } from './table.ts';

const RESULT: RowResult = {
  row: 'D4',
  fault: 'kills',
  seed: 1,
  seconds: 9,
  cells: { twice: 0, lost: 0 },
  memoryMiB: {},
  recoveries: [],
  notes: [],
  violations: [],
  requests: [],
};

test('a line per run: seed, figures of the suite, and verdict', () => {
  const lines = formatTable([
    RESULT,
    { ...RESULT, row: 'D4b', cells: { twice: 118, lost: 0 }, isComparison: true },
    { ...RESULT, row: 'D13', cells: {}, leftOut: 'no clock' },
    {
      ...RESULT,
      seed: 2,
      violations: [{ oracle: 'sent once', what: 'twice' }],
      recoveries: [{ what: 'all', ms: 2_000, cpuWaitMs: 0, msMax: 1_000 }],
    },
  ]).split('\n');

  expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
    ['row', 'fault', 'seed', 'twice', 'lost', 'recovery s', 'verdict'],
    ['D4', 'kills', '1', '0', '0', '-', 'ok'],
    ['D4b', 'kills', '1', '118', '0', '-', 'compare'],
    ['D13', 'kills', '1', '-', '-', '-', 'skipped'],
    ['D4', 'kills', '2', '0', '0', '2.0', 'FAILED'],
  ]);
});

test('a skipped row says why', () => {
  expect(describeResult({ ...RESULT, leftOut: 'no clock' })).toContain('skipped: no clock');
});
