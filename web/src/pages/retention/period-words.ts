import type { RetentionQuestion } from '../../api/analytics.ts';
import { beginOf } from './retention-question.ts';

/** The day on which a cohort begins, or its month: `14 Sep`. */
export function cohortName({ period, timeZone }: RetentionQuestion, at: number): string {
  return new Intl.DateTimeFormat(undefined, {
    ...(period === 'month'
      ? { month: 'short', year: 'numeric' }
      : { day: 'numeric', month: 'short' }),
    timeZone,
  }).format(at);
}

/** `New in the week of 14 September`. */
export function cohortSentence({ period, timeZone }: RetentionQuestion, at: number): string {
  const name = new Intl.DateTimeFormat(undefined, {
    ...(period === 'month'
      ? { month: 'long', year: 'numeric' }
      : { day: 'numeric', month: 'long' }),
    timeZone,
  }).format(at);
  return {
    day: `Began on ${name}`,
    week: `Began in the week of ${name}`,
    month: `Began in ${name}`,
  }[period];
}

/** `4 weeks later, 9 Nov to 15 Nov`. */
export function periodSentence(question: RetentionQuestion, at: number, period: number): string {
  const distance =
    period === 0
      ? `Again in the same ${question.period}`
      : `${period} ${question.period}${period === 1 ? '' : 's'} later`;
  if (question.period === 'month')
    return `${distance}, ${cohortName(question, beginOf(question, at, period))}`;
  const day = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: question.timeZone,
  });
  const first = beginOf(question, at, period);
  // Of the last instant: days have 23 to 25 hours.
  const end = beginOf(question, at, period + 1) - 1;
  return question.period === 'day'
    ? `${distance}, ${day.format(first)}`
    : `${distance}, ${day.formatRange(first, end)}`;
}
