import { expect, test } from '@jest/globals';
import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import {
  isOpen,
  peopleCondition,
  peopleQuestion,
  readCell,
  readSteps,
  toCsv,
  wholeOf,
  writeCell,
} from './retention-question.ts';

const WEEK = 7 * 86_400_000;
const AT = Date.parse('2026-11-02T00:00Z');
const question: RetentionQuestion = {
  start: { event: 'signd' },
  return: { event: 'login', where: [{ attribute: 'app', is: 'ios' }] },
  from: AT,
  to: AT + 2 * WEEK + 1_000,
  period: 'week',
  periods: 3,
  timeZone: 'UTC',
};
const result: RetentionResult = {
  cohorts: [
    { at: AT, users: 100, returned: [50, 40, 10], isPartial: [false, false, true] },
    { at: AT + WEEK, users: 300, returned: [90, 20, null], isPartial: [false, true, false] },
    { at: AT + 2 * WEEK, users: 7, returned: [1, null, null], isPartial: [true, false, false] },
  ],
  partialFrom: AT + 2 * WEEK,
  asOf: AT + 2 * WEEK + 1_000,
  timeZone: 'UTC',
  store: 'postgres',
  tookMs: 1,
  warnings: [],
};

test('all cohorts together have those whose period is over', () => {
  expect(wholeOf(question, result)).toEqual([
    { users: 400, returned: 140 },
    { users: 100, returned: 40 },
    null,
  ]);
  expect(result.cohorts.map(({ at }) => isOpen(result, at))).toEqual([false, false, true]);
  expect(isOpen({ ...result, partialFrom: null }, AT + 2 * WEEK)).toBe(false);
});

test('a cell is asked for by its cohort and period, and has the condition of a segment', () => {
  const cell = { at: AT + WEEK, period: 1 };

  expect(peopleQuestion(question, cell)).toEqual({ ...question, cohort: AT + WEEK, cell: 1 });
  expect(peopleQuestion(question, { at: AT, period: null })).toEqual({ ...question, cohort: AT });
  expect(peopleCondition({ ...question, segment: 'gold' }, cell)).toEqual({
    all: [
      { event: 'signd', from: AT + WEEK, to: AT + 2 * WEEK },
      { not: { event: 'signd', from: AT, to: AT + WEEK } },
      {
        event: 'login',
        where: [{ attribute: 'app', is: 'ios' }],
        from: AT + 2 * WEEK,
        to: AT + 3 * WEEK,
      },
      { segment: 'gold' },
    ],
  });
});

test('a cohort is of those who began then; the first one of a range has none before', () => {
  expect(peopleCondition(question, { at: AT, period: null })).toEqual({
    all: [{ event: 'signd', from: AT, to: AT + WEEK }],
  });
  expect(peopleCondition({ ...question, first: 'ever' }, { at: AT, period: null })).toEqual({
    all: [{ event: 'signd', from: AT, to: AT + WEEK }, { not: { event: 'signd', to: AT } }],
  });
  // The last cohort ends with the range.
  expect(peopleCondition(question, { at: AT + 2 * WEEK, period: null })).toMatchObject({
    all: [{ to: question.to }, {}],
  });
});

test('no condition says who came back in the period of the start, or in any later one', () => {
  expect(peopleCondition(question, { at: AT, period: 0 })).toBeNull();
  expect(peopleCondition({ ...question, unbounded: true }, { at: AT, period: 1 })).toBeNull();
});

test('an address names a cell, and the events', () => {
  for (const cell of [
    { at: AT, period: 3 },
    { at: AT, period: null },
  ])
    expect(readCell(writeCell(cell))).toEqual(cell);
  expect(readCell('nonsense')).toBeNull();
  expect(readSteps('{"start":{"event":"a"}}', 'viewd')).toEqual({
    start: { event: 'viewd' },
    return: { event: 'viewd' },
  });
});

test('the file has the numbers, and nothing where a period has not begun', () => {
  expect(toCsv(question, result)).toBe(
    'week,people,0,1,2\r\n2026-11-02,100,50,40,10\r\n2026-11-09,300,90,20,\r\n2026-11-16,7,1,,\r\n',
  );
});
