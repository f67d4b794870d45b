import type { TrendQuestion, TrendResult } from '../../api/analytics.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { eventName } from '../../conditions/describe-condition.ts';
import { formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { PeoplePanel } from '../people/people-panel.tsx';
import { groupName, peopleCondition, peopleQuestion, type TrendPlace } from './trend-question.ts';

/** Who did the event of a series in a point, or in the whole range. */
export function TrendPeople({
  question,
  result,
  names,
  place,
  onClose,
}: {
  readonly question: TrendQuestion;
  readonly result: TrendResult;
  readonly names: Names;
  readonly place: TrendPlace;
  readonly onClose: () => void;
}) {
  const series = question.series[place.series];
  const { step, timeZone } = question;
  if (series === undefined) return null;
  const words = [
    isolate(eventName(series.event, names)),
    ...('group' in place ? [isolate(groupName(place.group))] : []),
    ...(place.others === true ? ['all others'] : []),
    place.at === undefined ? 'all of the time' : pointName(place.at, { step, timeZone }),
  ];
  return (
    <PeoplePanel
      key={JSON.stringify(place)}
      title={words.join(' · ')}
      count={series.measure === 'users' ? countOf(result, place) : undefined}
      source={{
        asked: { path: 'trends/users', body: peopleQuestion(question, place) },
        same: peopleCondition(question, place),
      }}
      fileName="people.csv"
      onClose={onClose}
    />
  );
}

function countOf(
  result: TrendResult,
  { series, at, group, others }: TrendPlace,
): string | undefined {
  const all = result.series[series];
  const of =
    others === true
      ? all?.others
      : group === undefined
        ? all
        : all?.groups?.find(({ value }) => JSON.stringify(value) === JSON.stringify(group));
  const value = at === undefined ? of?.total : of?.points.find((point) => point.at === at)?.value;
  return value === undefined ? undefined : formatCount(value);
}

/** A point in words. */
function pointName(
  at: number,
  { step, timeZone }: Pick<TrendQuestion, 'step' | 'timeZone'>,
): string {
  const day = { day: 'numeric', month: 'short' } as const;
  const text = new Intl.DateTimeFormat(undefined, {
    ...(step === 'month' ? { month: 'long', year: 'numeric' } : day),
    ...(step === 'day' && { weekday: 'short' }),
    ...(step === 'hour' && { hour: 'numeric', minute: '2-digit' }),
    timeZone,
  }).format(at);
  return step === 'week' ? `week of ${text}` : text;
}
