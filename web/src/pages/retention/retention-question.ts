import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import { later, type Period } from '../../ui/calendar-range.ts';

type RetentionPeriod = RetentionQuestion['period'];
export const PERIODS = ['day', 'week', 'month'] as const satisfies readonly Period[];

export const readPeriod = (text: string): RetentionPeriod =>
  PERIODS.find((period) => period === text) ?? 'week';

/** The start and the return of an address. Without them, one event for both. */
export type Steps = { readonly start: FunnelStep; readonly return: FunnelStep };
export function readSteps(text: string, event: string): Steps {
  try {
    const value = JSON.parse(text) as Partial<Steps>;
    if (value.start?.event !== undefined && value.return?.event !== undefined)
      return { start: value.start, return: value.return };
  } catch {
    // Not written by this page: the standard.
  }
  return { start: { event }, return: { event } };
}

/** How many periods can be asked after each of a range's: not more than fit into the days that are kept. */
export const COUNTS: Readonly<Record<RetentionPeriod, readonly number[]>> = {
  day: [8, 15, 31],
  week: [6, 9, 13, 27],
  month: [4, 7, 13],
};

export function readCount(text: string, period: RetentionPeriod): number {
  const [, standard = 9] = COUNTS[period];
  return COUNTS[period].find((count) => String(count) === text) ?? standard;
}

/** A number of the table: a cohort, or those of it who came back in a period. */
export type Cell = { readonly at: number; readonly period: number | null };

export function readCell(text: string): Cell | null {
  const [, at = '', period = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return at === '' ? null : { at: Number(at), period: period === '' ? null : Number(period) };
}

export const writeCell = ({ at, period }: Cell): string =>
  period === null ? String(at) : `${at}.${period}`;

/** When the k-th period after that of a cohort begins. */
export const beginOf = (question: RetentionQuestion, at: number, period: number): number =>
  later(at, [period, question.period], question.timeZone);

/** Whether a cohort is not over: more people may begin in it. */
export const isOpen = ({ partialFrom }: RetentionResult, at: number): boolean =>
  partialFrom !== null && at >= partialFrom;

/** The people of a cell, as the service lists them. */
export const peopleQuestion = (question: RetentionQuestion, { at, period }: Cell): object => ({
  ...question,
  cohort: at,
  ...(period !== null && { cell: period }),
});

/**
 * The condition that has the people of a cell: they began in the time of the cohort and not before, and returned
 * later. Of the period of the start itself none says it: "later than the first start" has no words there.
 */
export function peopleCondition(
  question: RetentionQuestion,
  { at, period }: Cell,
): Condition | null {
  const { start, segment, first, unbounded } = question;
  if (period === 0 || (period !== null && unbounded === true)) return null;
  const end = Math.min(question.to, beginOf(question, at, 1));
  const begun = Math.max(question.from, at);
  const before = { ...start, ...(first === undefined && { from: question.from }), to: begun };
  return {
    all: [
      { ...start, from: begun, to: end },
      ...(first === undefined && begun === question.from ? [] : [{ not: before }]),
      ...(period === null
        ? []
        : [
            {
              ...question.return,
              from: beginOf(question, at, period),
              to: beginOf(question, at, period + 1),
            },
          ]),
      ...(segment === undefined ? [] : [{ segment }]),
    ],
  };
}

/** Of all cohorts whose period is over: how many they have, and how many of those came back. */
export type Whole = { readonly users: number; readonly returned: number } | null;

/** Of each period, all cohorts together. A period that is not over for a cohort leaves it out. */
export function wholeOf(question: RetentionQuestion, result: RetentionResult): readonly Whole[] {
  return Array.from({ length: question.periods }, (_, period): Whole => {
    const over = result.cohorts.filter(
      ({ users, returned, isPartial }) =>
        users > 0 && returned[period] != null && isPartial[period] !== true,
    );
    if (over.length === 0) return null;
    return {
      users: over.reduce((sum, { users }) => sum + users, 0),
      returned: over.reduce((sum, { returned }) => sum + (returned[period] ?? 0), 0),
    };
  });
}

/** The table as CSV: the numbers of people, empty where a period has not begun. */
export function toCsv(question: RetentionQuestion, result: RetentionResult): string {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: question.timeZone });
  const periods = Array.from({ length: question.periods }, (_, period) => String(period));
  return [
    [question.period, 'people', ...periods],
    ...result.cohorts.map(({ at, users, returned }) => [
      date.format(at),
      users,
      ...periods.map((_, period) => returned[period] ?? ''),
    ]),
  ]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');
}
