import { countTrend, type TrendCounts } from '@tidings/analytics/count-trend';
import type { Figure, PartReport } from '../report/figures.ts';
import type { Asked } from '../segments/ask.ts';
import { askAll, countByHand, readContext } from './ask.ts';
import { measureBeside } from './beside.ts';
import { eventsByHand } from './funnels.ts';

const CPU_RATIO_MAX = 1.3;
const DAYS = 30;
const DAY_MS = 86_400_000;
const EVENT = 'viewed';
const GROUPS = 2;

/** Persons a day, and of the range, also by a value of theirs, beside the statement by hand. */
export async function measureTrends(asked: Asked): Promise<PartReport> {
  const context = await readContext(asked);
  const figures: Figure[] = [];
  for (const isParted of [false, true])
    figures.push(
      ...(await measureBeside(asked, {
        name: `users a day of ${EVENT}, ${DAYS} days${isParted ? ', by country' : ''}`,
        reference: 'SQL by hand',
        ratioMax: CPU_RATIO_MAX,
        own: (now) =>
          askAll(asked, async (sql) => {
            const { from, to } = daysBefore(now);
            const counts = await countTrend(sql, {
              context,
              series: { event: EVENT, measure: 'users' },
              breakdown: isParted ? { field: 'country' } : null,
              condition: null,
              starts: Array.from({ length: DAYS }, (_, day) => from + day * DAY_MS),
              end: to,
              now,
              memoryMiB: 160,
            });
            return [...numbersOf(counts), ...(counts.groups ?? []).flatMap(numbersOf)];
          }),
        byHand: (now) =>
          countByHand(asked, isParted ? PARTED_BY_HAND : TREND_BY_HAND, daysBefore(now)),
        describe: ([total = 0]) => `${total} persons`,
      })),
    );
  return { title: 'Trends of users', figures, data: {} };
}

/** Whole days that are over. */
function daysBefore(now: number): { readonly from: number; readonly to: number } {
  const to = now - (now % DAY_MS);
  return { from: to - DAYS * DAY_MS, to };
}

const numbersOf = ({ total, points }: TrendCounts): readonly number[] => [
  total,
  ...Array.from({ length: DAYS }, (_, day) => points.get(day) ?? 0),
];

const DONE = eventsByHand([EVENT], `((e.time - $2::bigint) / ${DAY_MS})::int as day`);

/** SQL: persons of the range, and of each day. */
const TREND_BY_HAND = `
  with counted as (
    select coalesce(day, -1) as day, count(distinct person) as n
    from (${DONE}) d join users u on u.id = d.person
    where u.registered_at is not null group by grouping sets ((day), ()))
  select array_agg(coalesce(n, 0)::int order by day) as numbers
  from generate_series(-1, ${DAYS - 1}) as day left join counted using (day)`;

/** And the same of each country, the largest first, and of those without one. */
const PARTED_BY_HAND = `
  with counted as (
    select coalesce(d.day, -1) as day, grouping(country) as is_all, country, count(distinct person) as n
    from (select d.person, d.day, p.fields->>'country' as country
          from (${DONE}) d join users p on p.id = d.person
          where p.registered_at is not null) d
    group by grouping sets ((country, day), (country), (day), ())),
  parts as (
    select country, is_all, row_number() over (order by is_all desc, country is null, n desc) as place
    from counted where day = -1)
  select array_agg(coalesce(c.n, 0)::int order by p.place, d.day) as numbers
  from parts p cross join generate_series(-1, ${DAYS - 1}) as d(day)
  left join counted c on c.day = d.day and c.is_all = p.is_all
    and c.country is not distinct from p.country
  where p.place <= ${GROUPS + 2}`;
