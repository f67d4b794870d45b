import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  compileTrendEvents,
  type TrendCounts,
  type TrendEvents,
  type TrendOf,
  type TrendSeriesCounts,
} from './trend-events.ts';
import { countTrendPersons } from './trend-persons.ts';
import { GROUPS_MAX } from '../read-groups.ts';

export type { TrendCounts, TrendOf };

/** Groups have slots by their size, from 1. */
const NONE = 0;
const OTHERS = GROUPS_MAX + 1;

/** Counts a series. In one transaction with those beside it. @throws TooManyPersons, TooManyValues */
export async function countTrend(sql: Sql, of: TrendOf): Promise<TrendSeriesCounts> {
  const hasGroups = of.breakdown !== null;
  const isOfPersons = of.series.measure === 'users';
  if (isOfPersons && !(of.breakdown !== null && 'attribute' in of.breakdown))
    return countTrendPersons(sql, of);
  const events = await compileTrendEvents(sql, of, false);
  const counted = isOfPersons ? countPersons(events) : addUp(of, events);
  const { rows } = await sql.query<{
    slot: number | null;
    point: number | null;
    n: number;
    value: string | null;
    further: number;
  }>(
    `${events.with}, ${counted}
     select c.slot::int as slot, c.point, c.n, r.value::text as value,
       (select greatest(count(*) - ${GROUPS_MAX}, 0)::int from ranked) as further
     from counted c left join ranked r on r.place = c.slot and r.place <= ${GROUPS_MAX}`,
    events.parts.parameters.values,
  );
  const bySlot = Map.groupBy(rows, ({ slot }) => slot);
  const countsOf = (slot: number | null): TrendCounts => {
    const own = bySlot.get(slot) ?? [];
    return {
      points: new Map(
        own.flatMap(({ point, n }) => (point === null ? [] : [[point - 1, n] as const])),
      ),
      total: own.find(({ point }) => point === null)?.n ?? 0,
    };
  };
  if (!hasGroups) return countsOf(null);
  const largest = [...bySlot.keys()]
    .filter((slot) => slot !== null && slot !== NONE && slot !== OTHERS)
    .toSorted((a, b) => Number(a) - Number(b));
  const othersGroups = rows[0]?.further ?? 0;
  return {
    ...countsOf(null),
    groups: [
      ...largest.map((slot) => ({
        value: parseExactJson(bySlot.get(slot)?.[0]?.value ?? 'null'),
        ...countsOf(slot),
      })),
      { value: null, ...countsOf(NONE) },
    ],
    othersGroups,
    others: othersGroups === 0 ? null : countsOf(OTHERS),
  };
}

/** SQL: those who count, with their values. */
const personsOf = ({ asked }: TrendEvents): string =>
  asked === null
    ? ''
    : `persons as (select u.id, ${asked.value ?? 'null::jsonb'} as value
         from ${asked.from} where ${asked.where}),`;

const valueOf = ({ isOfEvent, asked }: TrendEvents): string =>
  isOfEvent || asked === null ? 'd.value' : 'p.value';

const joinOf = ({ asked, isOfUsers }: TrendEvents): string =>
  asked === null ? '' : `${isOfUsers ? '' : 'left '}join persons p on p.id = d.person`;

/** SQL: values by their size. Equal ones are in the order of their text. */
const ranked = (sizes: string): string =>
  `ranked as materialized (select s.value,
     row_number() over (order by s.n desc, s.value::text collate "C") as place
   from (${sizes}) s)`;
const slotOf = `least(coalesce(r.place, ${NONE}), ${OTHERS})`;

/** SQL: events or revenue, which add up. */
function addUp({ series, breakdown }: TrendOf, events: TrendEvents): string {
  const isSum = typeof series.measure === 'object';
  const total = 'coalesce(sum(s.n), 0)';
  const isParted = breakdown !== null;
  return `${personsOf(events)}
    sums as materialized (
      select d.point, ${valueOf(events)} as value, ${isSum ? 'sum(d.amount)' : 'count(*)'} as n
      from done d ${joinOf(events)} group by 1, 2),
    ${ranked(`select value, sum(n) as n from sums
      where value is not null group by value`)},
    slots as (select s.point, ${slotOf} as slot, s.n
      from sums s left join ranked r on r.value = s.value),
    counted as (
      select ${isParted ? 's.slot' : 'null::int as slot'}, s.point,
        least(greatest(${total}, -1.7e308), 1.7e308)::float8 as n
      from slots s
      group by grouping sets (${isParted ? '(s.slot, s.point), (s.slot), ' : ''}(s.point), ()))`;
}

/** SQL: persons, who count once in each part, point and the range: one may have events of several values. */
function countPersons(events: TrendEvents): string {
  const count = (keys: readonly ('slot' | 'point')[]): string => {
    const shown = (['slot', 'point'] as const).map((key) =>
      keys.includes(key) ? key : `null::int as ${key}`,
    );
    const group = keys.length === 0 ? '' : `group by ${keys.join(', ')}`;
    return `select ${shown.join(', ')}, count(*)::float8 as n
      from (select distinct ${[...keys, 'person'].join(', ')} from slots) s ${group}`;
  };
  return `${personsOf(events)}
    keyed as materialized (
      select distinct d.point, d.value, d.person
      from done d ${joinOf(events)}),
    ${ranked(`select value, count(*) as n
      from (select distinct value, person from keyed where value is not null) v
      group by value`)},
    slots as materialized (select distinct k.point, ${slotOf}::int as slot, k.person
      from keyed k left join ranked r on r.value = k.value),
    counted as (${[
      'select slot, point, count(*)::float8 as n from slots group by slot, point',
      count(['slot']),
      count(['point']),
      count([]),
    ].join(' union all ')})`;
}
