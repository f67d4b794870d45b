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

test('figures that are compared have a line each, beside those of another version', () => {
  const pair = (alone: number, beside: number) => ({
    alone,
    beside,
    net: { alone, beside: alone },
  });
  const lines = formatTable([
    {
      ...RESULT,
      row: 'N1',
      fault: 'an attack',
      compared: [
        { name: 'p50', bound: { ratio: 1.5 }, now: pair(4, 5), before: pair(4, Infinity) },
        { name: 'p99', bound: { ms: 9 }, now: pair(10, 20), before: pair(4, 400) },
        { name: 'shown', bound: null, now: pair(10, 20) },
      ],
    },
  ]).split('\n');

  expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
    [
      'row',
      'ms',
      'before: alone',
      'before: beside',
      'before: ratio',
      'alone',
      'beside',
      'ratio',
      'bound',
      'verdict',
    ],
    ['N1', 'an attack, seed 1'],
    ['p50', '4.0', 'never', '-', '4.0', '5.0', '1.25', '× 1.5', 'ok'],
    ['p99', '4.0', '400', '100.00', '10.0', '20.0', '2.00', '9 ms', 'FAILED'],
    ['shown', '-', '-', '-', '10.0', '20.0', '2.00'],
  ]);
});
