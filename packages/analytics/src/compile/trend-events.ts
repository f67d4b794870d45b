import type { FunnelBreakdown } from '@tidings/contracts/analytics/funnels';
import type { AskedPersons } from '@tidings/folds/compile/read-persons';
import type { TrendBreakdown, TrendSeries } from '@tidings/contracts/analytics/trends';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createMemory } from '@tidings/folds/memory';
import type { Sql } from '@tidings/postgres/database';
import { jsonPath } from '@tidings/segments/compile/json-path';
import { compileWhere, isOneOf, slugsOf } from '@tidings/segments/compile/named-event';
import { createParameters } from '@tidings/segments/compile/parameters';
import type { StatementParts } from '@tidings/segments/compile/statement-parts';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { compilePersons } from './funnel-persons.ts';

/** One series of a trend, at one moment. In milliseconds. */
export type TrendOf = {
  readonly context: ConditionContext;
  readonly series: TrendSeries;
  readonly breakdown: TrendBreakdown | null;
  /** Whose events count; null: all, also those without a user. */
  readonly condition: Condition | null;
  /** Where points begin, in their order. */
  readonly starts: readonly number[];
  /** Events before it count. */
  readonly end: number;
  readonly now: number;
  /** For the persons of funnels of the condition. */
  readonly memoryMiB: number;
};

/** Numbers of a series, or of a part of it: of each point by its index, and of the whole range. */
export type TrendCounts = {
  readonly points: ReadonlyMap<number, number>;
  readonly total: number;
};

export type TrendSeriesCounts = TrendCounts & {
  /** With a breakdown: the largest groups, and those without a value. */
  readonly groups?: readonly (TrendCounts & { readonly value: unknown })[];
  /** How many further values there are, and their numbers together; null without any. */
  readonly othersGroups?: number;
  readonly others?: TrendCounts | null;
};

/** SQL: the events of a series, as `done` with `point`, `value`, `person` and `amount`. */
export type TrendEvents = {
  readonly parts: StatementParts;
  /** Begins the statement: `merged` and `done`. */
  readonly with: string;
  /** Users `u` who count, with their value as `value`; null: of all events, also those without one. */
  readonly asked: AskedPersons | null;
  /** Whether only events of these users count. */
  readonly isOfUsers: boolean;
  /** Whether `value` of the events is that of the breakdown, not that of the users. */
  readonly isOfEvent: boolean;
};

/** Of the user; null without one. */
export function ofUser(breakdown: TrendBreakdown | null): FunnelBreakdown | null {
  if (breakdown === null || 'attribute' in breakdown) return null;
  return 'field' in breakdown ? breakdown : { attribute: breakdown.userAttribute };
}

/** SQL: which events `e` are those of a series. */
export const compileMatches = (
  parts: StatementParts,
  { series, starts, end }: Pick<TrendOf, 'series' | 'starts' | 'end'>,
): string =>
  [
    `e.application_id = ${parts.application}`,
    isOneOf(parts, 'e.slug', slugsOf(parts, series)),
    `e.time >= ${parts.parameters.add(starts[0] ?? end, 'bigint')}`,
    `e.time < ${parts.parameters.add(end, 'bigint')}`,
    ...compileWhere(parts, series.where),
    ...(typeof series.measure === 'object'
      ? [`e.currency = ${parts.parameters.add(series.measure.sum, 'text')}`]
      : []),
  ].join(' and ');

/**
 * Reads the events of a series from an index, as far as it has no `where` and no attribute.
 * @param isListed whether people are asked for, not numbers
 */
export async function compileTrendEvents(
  sql: Sql,
  { context, series, breakdown, condition, starts, end, now, memoryMiB }: TrendOf,
  isListed: boolean,
): Promise<TrendEvents> {
  const parameters = createParameters();
  const application = parameters.add(context.applicationId, 'uuid');
  const parts: StatementParts = {
    shape: 'all',
    context,
    parameters,
    now,
    application,
    joins: [],
  };
  const isOfUsers = isListed || series.measure === 'users' || condition !== null;
  const isOfEvent = breakdown !== null && 'attribute' in breakdown;
  const breakdownOfUser = ofUser(breakdown);
  const asked =
    isOfUsers || breakdownOfUser !== null
      ? await compilePersons(
          { sql, parts, memory: createMemory(memoryMiB) },
          { condition, breakdown: breakdownOfUser, hasVisitors: !isOfUsers },
        )
      : null;

  const value = isOfEvent
    ? `nullif(${jsonPath(parts, 'e.attributes', breakdown.attribute).json}, 'null'::jsonb)`
    : 'null::jsonb';
  const isSum = typeof series.measure === 'object';
  const matches = compileMatches(parts, { series, starts, end });
  const point = `width_bucket(e.time, ${parameters.add(starts, 'bigint[]')})`;
  const amount = isSum ? 'e.revenue::numeric' : 'null::numeric';
  const ofUsers = `select ${point} as point, ${value} as value, ${
    asked === null ? 'null::uuid' : 'coalesce(m.merged_into, e.user_id)'
  } as person, ${amount} as amount
    from events e ${asked === null ? '' : 'left join merged m on m.id = e.user_id'}
    where e.user_id is not null and ${matches}`;
  const ofNone = `select ${point}, ${value}, null::uuid, ${amount} from events e
    where e.user_id is null and ${matches}`;
  const begin =
    asked === null || asked.with !== ''
      ? (asked?.with ?? '')
      : `with merged as materialized (select id, merged_into from users
           where application_id = ${application} and merged_into is not null)`;
  return {
    parts,
    with: `${begin === '' ? 'with' : `${begin},`}
      done as (${isOfUsers ? ofUsers : `${ofUsers} union all ${ofNone}`})`,
    asked,
    isOfUsers,
    isOfEvent,
  };
}
