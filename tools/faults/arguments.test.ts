import { expect, test } from '@jest/globals';
import { choosePlan, readArguments } from './arguments.ts';
import { INGEST_LONG_PLAN as LONG_PLAN } from './plans.ts';
import { INGEST_ROWS } from './rows/ingest/index.ts';

const SUITES = {
  ingest: { rows: INGEST_ROWS, longPlan: LONG_PLAN },
  upgrade: { rows: INGEST_ROWS, longPlan: LONG_PLAN, needsFrom: true },
  neighbours: { rows: INGEST_ROWS, longPlan: LONG_PLAN, takesAgainst: true },
} as const;

test('without options all rows run in the long form with three seeds', () => {
  expect(readArguments(['ingest'], SUITES)).toEqual({
    suite: 'ingest',
    bus: 'kafka',
    rows: INGEST_ROWS,
    seeds: [1, 2, 3],
    plan: LONG_PLAN,
    chosen: {},
  });
});

test('rows, seeds, duration, rate and users can be set', () => {
  expect(
    readArguments(
      ['ingest', 'I5', '--seeds', '1', '--seconds', '6', '--rate', '50', '--users', '7', 'I1'],
      SUITES,
    ),
  ).toEqual({
    suite: 'ingest',
    bus: 'kafka',
    rows: INGEST_ROWS.filter(({ id }) => ['I1', 'I5'].includes(id)),
    seeds: [1],
    plan: { ...LONG_PLAN, kills: 6, outageMs: 6_000, requestsPerSecond: 50, users: 7 },
    chosen: { kills: 6, outageMs: 6_000, requestsPerSecond: 50, users: 7 },
  });
});

test('on the bus in Postgres, faults of Kafka are left out', () => {
  const rows = readArguments(['ingest', '--bus', 'postgres'], SUITES)?.rows ?? [];

  expect(rows.map(({ id }) => id)).toEqual(['I1', 'I2', 'I9', 'I10', 'I15', 'I16', 'I18']);
  expect(readArguments(['ingest', 'I5', '--bus', 'postgres'], SUITES)).toBeNull();
});

test('an upgrade names the version that it begins with', () => {
  expect(readArguments(['upgrade', '--from', 'v1', 'I5', '--seed', '1'], SUITES)).toMatchObject({
    from: 'v1',
    rows: [{ id: 'I5' }],
    seeds: [1],
  });
});

test('another version can be measured too', () => {
  expect(readArguments(['neighbours', '--against', 'v1'], SUITES)).toMatchObject({ against: 'v1' });
  expect(readArguments(['neighbours'], SUITES)).not.toHaveProperty('against');
});

test('one seed can be run again', () => {
  expect(readArguments(['ingest', '--seed', '2'], SUITES)?.seeds).toEqual([2]);
});

test('a row may have its own plan, which the command line overrides', () => {
  const row = {
    id: 'D24',
    fault: 'something large',
    brokers: 1,
    plan: { users: 100_000, applications: 1 },
  } as const;

  expect(choosePlan(row, { plan: LONG_PLAN, chosen: {} })).toEqual({
    ...LONG_PLAN,
    users: 100_000,
    applications: 1,
  });
  expect(choosePlan(row, { plan: { ...LONG_PLAN, users: 7 }, chosen: { users: 7 } })).toEqual({
    ...LONG_PLAN,
    users: 7,
    applications: 1,
  });
});

test.each([
  [[]],
  [['egress']],
  [['ingest', 'I3']],
  [['ingest', '--rate', 'fast']],
  [['ingest', '--rate', '0']],
  [['ingest', '--speed', '3']],
  [['ingest', '--from', 'v1']],
  [['ingest', '--bus']],
  [['ingest', '--bus', 'memory']],
  [['upgrade']],
  [['upgrade', '--from']],
  [['ingest', '--against', 'v1']],
  [['neighbours', '--against']],
])('rejects %j', (words) => {
  expect(readArguments(words, SUITES)).toBeNull();
});
