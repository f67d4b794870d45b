import { expect, test } from '@jest/globals';
import { readArguments } from './arguments.ts';
import { INGEST_LONG_PLAN as LONG_PLAN } from './plans.ts';
import { INGEST_ROWS } from './rows/ingest/index.ts';

const SUITES = { ingest: { rows: INGEST_ROWS, longPlan: LONG_PLAN } };

test('without options everything runs in its long form, with three seeds', () => {
  expect(readArguments(['ingest'], SUITES)).toEqual({ suite: 'ingest', rows: INGEST_ROWS, seeds: 3, plan: LONG_PLAN });
});

test('rows, seeds, length, rate and users can be chosen', () => {
  expect(readArguments(['ingest', 'F5', '--seeds', '1', '--seconds', '6', '--rate', '50', '--users', '7', 'F1'], SUITES)).toEqual({
    suite: 'ingest',
    rows: INGEST_ROWS.filter(({ id }) => ['F1', 'F5'].includes(id)),
    seeds: 1,
    plan: { ...LONG_PLAN, kills: 6, outageMs: 6_000, requestsPerSecond: 50, users: 7 },
  });
});

test.each([[[]], [['egress']], [['ingest', 'F3']], [['ingest', '--rate', 'fast']], [['ingest', '--rate', '0']], [['ingest', '--speed', '3']]])('%j says nothing that can be done', (words) => {
  expect(readArguments(words, SUITES)).toBeNull();
});
