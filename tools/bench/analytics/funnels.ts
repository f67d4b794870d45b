import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { toMs } from '@tidings/segments/durations';

const DAY_MS = 86_400_000;

/** A funnel, and the statement that a developer would write for it. */
export type BenchFunnel = {
  readonly name: string;
  readonly funnel: FunnelDefinition;
  readonly byHand: string;
  /** How far back it looks. */
  readonly days: number;
  /** Of twenty million events. */
  readonly secondsMax?: number;
};

const WINDOW = '7d';
const benchFunnel = (
  events: readonly string[],
  rest: Pick<BenchFunnel, 'name' | 'days' | 'secondsMax'>,
): BenchFunnel => ({
  ...rest,
  funnel: { steps: events.map((event) => ({ event })), window: WINDOW },
  byHand: funnelByHand(events),
});

/** Four definitions with 57 % of the events. */
const BUYING = ['viewed', 'cart_filled', 'checkout', 'ordered'];

/** Of twenty million events they read 1.2, 3.9 and 3.4 million. */
export const BENCH_FUNNELS: readonly BenchFunnel[] = [
  benchFunnel(BUYING, { name: 'four steps, 10 days', days: 10, secondsMax: 2.5 }),
  benchFunnel(BUYING, { name: 'four steps, 31 days', days: 31, secondsMax: 6 }),
  benchFunnel(BUYING.slice(1), { name: 'three steps, 90 days', days: 90 }),
];
export const LONGEST_FUNNEL: FunnelDefinition = benchFunnel(BUYING, { name: '', days: 0 }).funnel;

/** Of the last days before a moment. */
export const rangeOf = (
  now: number,
  days: number,
): { readonly from: number; readonly to: number } => ({
  from: now - days * DAY_MS,
  to: now + 1,
});

/** SQL: the events of some definitions in `[$2, $3)` of the application `$1`, by person. */
export function eventsByHand(slugs: readonly string[], columns = 'e.time, e.slug'): string {
  return `select coalesce(u.merged_into, e.user_id) as person, ${columns}
   from events e join users u on u.id = e.user_id
   where e.application_id = $1 and e.slug in (${slugs.map((slug) => `'${slug}'`).join(', ')})
     and e.time >= $2::bigint and e.time < $3::bigint`;
}

/**
 * SQL: how many persons came to each step, by a window pass for each. An event of this data matches
 * one step, and no two of a person are at one instant, so that these passes are exact.
 */
function funnelByHand(slugs: readonly string[]): string {
  const over = 'over (partition by person order by time rows unbounded preceding)';
  const passes = slugs.reduce(
    (from, slug, index) =>
      index === 0
        ? `select *, max(case when slug = '${slug}' then time end) ${over} as s0 from (${from}) p`
        : `select *, max(case when slug = '${slug}' and time - s${index - 1} <= ${toMs(WINDOW)}
             then s${index - 1} end) ${over} as s${index} from (${from}) p`,
    eventsByHand(slugs),
  );
  const reached = slugs.map((_slug, index) => `bool_or(s${index} is not null) as r${index}`);
  const counts = slugs.map((_slug, index) => `count(*) filter (where r${index})`);
  return `select array[${counts.join(', ')}]::int[] as numbers
    from (select person, ${reached.join(', ')} from (${passes}) p group by person) p
      join users u on u.id = p.person where u.registered_at is not null`;
}
