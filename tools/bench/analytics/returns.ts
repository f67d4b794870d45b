import { askRetention } from '@tidings/analytics/ask-retention';
import type { PartReport } from '../report/figures.ts';
import type { Asked } from '../segments/ask.ts';
import { askAll, countByHand, MEMORY_MIB, readContext } from './ask.ts';
import { measureBeside } from './beside.ts';
import { eventsByHand } from './funnels.ts';

const CPU_RATIO_MAX = 0.75;
const WEEKS = 12;
const WEEK_MS = 7 * 86_400_000;
/** 1 January 1970 was a Thursday. */
const MONDAY_MS = 4 * 86_400_000;
const EVENT = 'logged_in';

/** Who comes back in the weeks after a first event, beside SQL that keeps a row for each cell. */
export async function measureReturns(asked: Asked): Promise<PartReport> {
  const context = await readContext(asked);
  const figures = await measureBeside(asked, {
    name: `${WEEKS} weeks of ${EVENT}`,
    reference: 'SQL by hand',
    ratioMax: CPU_RATIO_MAX,
    own: (now) =>
      askAll(asked, async (sql) => {
        const { from, to } = weeksBefore(now);
        const cohorts = await askRetention(sql, {
          context,
          start: { event: EVENT },
          returns: { event: EVENT },
          condition: null,
          from,
          to,
          now,
          starts: Array.from({ length: 2 * WEEKS }, (_, week) => from + week * WEEK_MS),
          periods: WEEKS,
          isFirstEver: false,
          isUnbounded: false,
          memoryMiB: MEMORY_MIB,
        });
        return cohorts.flatMap(({ users, returned }, week) => [
          users,
          ...returned.slice(0, WEEKS - week).map(Number),
        ]);
      }),
    byHand: (now) => countByHand(asked, RETENTION_BY_HAND, weeksBefore(now)),
    describe: ([users = 0, again = 0]) => `${users} in the first week, ${again} of them again`,
  });
  return { title: 'Retention, in the weeks of a cohort that are over', figures, data: {} };
}

/** Whole weeks that are over. */
function weeksBefore(now: number): { readonly from: number; readonly to: number } {
  const to = now - ((now - MONDAY_MS) % WEEK_MS);
  return { from: to - WEEKS * WEEK_MS, to };
}

/** SQL: of each week its persons, and those who were there again in it and in each later one. */
const RETENTION_BY_HAND = `
  with done as materialized (${eventsByHand([EVENT], 'e.time')}),
  started as (
    select d.person, min(d.time) as at from done d join users u on u.id = d.person
    where u.registered_at is not null group by d.person),
  cohorts as materialized (select person, at, (at - $2::bigint) / ${WEEK_MS} as week from started),
  cells as (
    select c.week, (d.time - $2::bigint) / ${WEEK_MS} - c.week as cell, count(distinct c.person) as n
    from cohorts c join done d on d.person = c.person and d.time > c.at group by 1, 2),
  numbers as (
    select week, -1::bigint as cell, count(*) as n from cohorts group by 1
    union all select week, cell, n from cells)
  select array_agg(coalesce(n, 0)::int order by week, cell) as numbers
  from generate_series(0, ${WEEKS - 1}) as week
  cross join lateral generate_series(-1, ${WEEKS - 1} - week) as cell
  left join numbers using (week, cell)`;
