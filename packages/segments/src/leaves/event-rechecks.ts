import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { FOLLOWINGS, type FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import { compileInstants } from '../compile/comparisons.ts';
import { jsonPath } from '../compile/json-path.ts';
import { ownKeys, slugsOf } from '../compile/named-event.ts';
import { instantBounds, later, type StatementParts } from '../compile/statement-parts.ts';
import { toTimeRange } from '../compile/time-range.ts';
import { toMs } from '../durations.ts';

type EventCondition = LeafOf<'event'>;

/**
 * SQL: the instants before which time alone does not change a leaf about events.
 * @param oldest SQL: the time of the oldest event that counts, of the newest that decide
 */
export function eventRechecks(
  parts: StatementParts,
  node: EventCondition,
  oldest: string,
): readonly string[] {
  const { within } = node;
  const steps = FOLLOWINGS.flatMap((key) => node[key] ?? []);
  return [
    nextAhead(parts, [node, ...steps]),
    ...(within === undefined
      ? []
      : [later(parts, `${oldest} + ${parts.parameters.add(toMs(within), 'bigint')}`)]),
    ...openSince(parts, node),
    ...[node, ...steps].flatMap((named) => attributeRechecks(parts, node, named)),
  ];
}

/** SQL: when the first event ahead of now counts. */
function nextAhead(parts: StatementParts, named: readonly Pick<FollowingEvent, 'event'>[]): string {
  const slugs = named.flatMap((each) => slugsOf(parts, each));
  return `(select min(q.time) from ${ownKeys(parts, slugs)}
    cross join lateral (select e.time from events e
      where e.user_id = o.id and e.slug = s.slug
        and e.time > ${parts.parameters.add(parts.now, 'bigint')}
      order by e.time limit 1) q)`;
}

/** SQL: when the time of the oldest event is over that may still be followed. */
function openSince(parts: StatementParts, node: EventCondition): string[] {
  const time = node.notFollowedBy?.in;
  if (time === undefined) return [];
  const { add } = parts.parameters;
  const since = parts.now - toMs(time);
  return [
    `(select min(q.time) + ${add(toMs(time), 'bigint')} from ${ownKeys(parts, slugsOf(parts, node))}
      cross join lateral (select e.time from events e
        where e.user_id = o.id and e.slug = s.slug and e.time > ${add(since, 'bigint')}
          and e.time <= ${add(parts.now, 'bigint')}
        order by e.time limit 1) q)`,
  ];
}

/** SQL: when an attribute of an event passes an instant that moves with now. */
function attributeRechecks(
  parts: StatementParts,
  node: EventCondition,
  named: Pick<FollowingEvent, 'event' | 'where'>,
): string[] {
  const moving = (named.where ?? []).filter((comparison) =>
    instantBounds(comparison, parts.now).some(({ isRelative }) => isRelative),
  );
  const instants = moving.flatMap((comparison) =>
    compileInstants(parts, jsonPath(parts, 'e.attributes', comparison.attribute), {
      ...comparison,
      dates: 'text',
    }),
  );
  if (instants.length === 0) return [];
  const { add } = parts.parameters;
  const { after } = toTimeRange(node, parts.now);
  return [
    `(select min(least(${instants.join(', ')})) from ${ownKeys(parts, slugsOf(parts, named))}
      join events e on e.user_id = o.id and e.slug = s.slug
      where e.time <= ${add(parts.now, 'bigint')}
        ${after === null ? '' : `and e.time > ${add(after, 'bigint')}`})`,
  ];
}
