import type { FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import type { AttributeComparison } from '@tidings/contracts/segments/leaves/parts';
import { resolveEvent } from '../condition-context.ts';
import { compileComparison } from './comparisons.ts';
import { jsonPath } from './json-path.ts';
import type { StatementParts } from './statement-parts.ts';

/**
 * SQL: each id of the person `u` with each definition. For such a pair an index has the events in
 * their order. For several definitions at once Postgres would read all events of the user.
 */
export const ownKeys = ({ parameters }: StatementParts, slugs: readonly string[]): string =>
  `${OWN_IDS} cross join unnest(${parameters.add([...new Set(slugs)], 'text[]')}) as s(slug)`;

/** All ids of the person `u`. */
const OWN_IDS = '(select p.id from users p where p.id = u.id or p.merged_into = u.id) o';

export const compileWhere = (
  parts: StatementParts,
  where: readonly AttributeComparison[] = [],
): string[] =>
  where.map((comparison) =>
    compileComparison(parts, jsonPath(parts, 'e.attributes', comparison.attribute), {
      ...comparison,
      dates: 'text',
    }),
  );

/** A definition that was deleted since names no event. */
export const slugsOf = (parts: StatementParts, named: Pick<FollowingEvent, 'event'>): string[] =>
  resolveEvent(parts.context, named.event)?.slugs ?? [];

export const isOneOf = (
  { parameters }: StatementParts,
  column: string,
  slugs: readonly string[],
): string =>
  slugs.length === 1
    ? `${column} = ${parameters.add(slugs[0], 'text')}`
    : `${column} = any(${parameters.add([...new Set(slugs)], 'text[]')})`;
