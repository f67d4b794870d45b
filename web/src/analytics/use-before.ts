import { useMemo } from 'react';
import { rangeBefore, type LastRange, type Range } from '../ui/calendar-range.ts';
import { useAnswered } from './use-answered.ts';

/** `30 days before`. */
export const beforeName = (last: LastRange | null): string =>
  last === null ? 'the time before' : `${last.label.replace('last ', '')} before`;

/** The same numbers of the time just before. They are asked once the present ones are there. */
export function useBefore<Question extends Range, Answer>(
  path: string,
  question: Question | null,
  {
    last,
    timeZone,
    isAsked,
  }: {
    readonly last: LastRange | null;
    readonly timeZone: string | null;
    readonly isAsked: boolean;
  },
): Answer | undefined {
  const earlier = useMemo(
    () =>
      question === null || timeZone === null || !isAsked
        ? null
        : { ...question, ...rangeBefore(question, last, timeZone) },
    [question, last, timeZone, isAsked],
  );
  const { answered, isStale } = useAnswered<Question, Answer>(path, earlier);
  return earlier === null || isStale ? undefined : answered?.answer;
}
