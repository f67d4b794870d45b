import type { Channel } from '@tidings/contracts/channels/channels';
import type { Purpose } from '@tidings/contracts/push/purposes';
import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from './compile/compile-condition.ts';
import { jsonPath } from './compile/json-path.ts';
import { compileWhere, slugsOf } from './compile/named-event.ts';
import { createParameters } from './compile/parameters.ts';
import type { StatementParts } from './compile/statement-parts.ts';
import type { ConditionContext } from './condition-context.ts';
import { leafOf } from './leaves/leaves.ts';
import type { EventKey, EventPlace, NamedEvents } from './person-events.ts';

/** An event of a person, and which of some named events it is. */
export type PersonEvent = EventKey &
  EventPlace & {
    /** Of the person, not of the id that did it. */
    readonly userId: string;
    readonly slug: string;
    readonly isProved: boolean;
    readonly isNamed: readonly boolean[];
    /** Of the attribute that was asked for. */
    readonly value: unknown;
  };

/**
 * The events of some people by definitions that are named, received in a period, in the order in
 * which they were received. Events of all ids of a person count.
 */
export async function readPeopleEvents(
  sql: Sql,
  {
    context,
    named,
    userIds,
    receivedFrom,
    receivedUntil,
    attribute,
    limit,
  }: {
    readonly context: ConditionContext;
    readonly named: readonly NamedEvents[];
    readonly userIds: readonly string[];
    /** Milliseconds, both inclusive. */
    readonly receivedFrom: number;
    readonly receivedUntil: number;
    readonly attribute: AttributePath | null;
    readonly limit: number;
  },
): Promise<PersonEvent[]> {
  const parameters = createParameters();
  const { add, values } = parameters;
  const application = add(context.applicationId, 'uuid');
  // Without dates that depend on the moment there is no `now`.
  const now = receivedUntil;
  const parts: StatementParts = {
    shape: 'given',
    context,
    parameters,
    now,
    application,
    joins: [],
  };
  const slugs = [...new Set(named.flatMap((each) => slugsOf(parts, each)))];
  const isNamed = named.map(
    (each) =>
      `(${[`e.slug = any(${add(slugsOf(parts, each), 'text[]')})`, ...compileWhere(parts, each.where)].join(' and ')})`,
  );
  const value = attribute === null ? 'null' : `${jsonPath(parts, 'e.attributes', attribute).json}`;
  const { rows } = await sql.query<{
    person_id: string;
    request_id: string;
    message_index: number;
    message_id: string;
    slug: string;
    time: string;
    received_ms: number;
    is_proved: boolean;
    is_named: boolean[];
    value: string | null;
  }>(
    `select a.user_id as person_id, e.request_id, e.message_index, e.message_id, e.slug,
       e.time::text as time, round(extract(epoch from e.received_at) * 1000)::float8 as received_ms,
       coalesce(e.is_proved, false) as is_proved, array[${isNamed.join(', ')}]::boolean[] as is_named,
       ${value}::text as value
     from unnest(${add(userIds, 'uuid[]')}) as a(user_id)
       join users p on p.id = a.user_id or p.merged_into = a.user_id
       cross join unnest(${add(slugs, 'text[]')}) as s(slug)
       join events e on e.user_id = p.id and e.slug = s.slug
     where e.application_id = ${application}
       and e.received_at >= to_timestamp(${add(receivedFrom, 'float8')} / 1000)
       and e.received_at <= to_timestamp(${add(receivedUntil, 'float8')} / 1000)
     order by e.received_at, e.request_id, e.message_index
     limit ${add(limit, 'bigint')}`,
    values,
  );
  return rows.map((row) => ({
    userId: row.person_id,
    requestId: row.request_id,
    messageIndex: row.message_index,
    messageId: row.message_id,
    slug: row.slug,
    time: BigInt(row.time),
    receivedAt: row.received_ms,
    isProved: row.is_proved,
    isNamed: row.is_named,
    value: row.value === null ? null : parseExactJson(row.value),
  }));
}

/** Of some users, why no message of a channel would reach them now. Absent: one would. */
export async function readUnreachable(
  sql: Sql,
  {
    channel,
    purpose,
    ...question
  }: {
    readonly context: ConditionContext;
    readonly channel: Channel;
    readonly purpose: Purpose;
    readonly now: number;
  },
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const condition: Condition = { reachable: channel, purpose };
  const { parameters, ...compiled } = compileCondition(condition, {
    ...question,
    shape: 'explain',
  });
  const evidence = compiled.leaves.map((leaf) => leaf.evidence).join(', ');
  const { rows } = await sql.query<{ id: string; reason: string }>(
    `select u.id, coalesce(${evidence} ->> 'reason', '') as reason from ${compiled.from}
     where ${compiled.isRegistered} and u.id = any(${parameters.add(userIds, 'uuid[]')})
       and not ${compiled.truth}`,
    parameters.values,
  );
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}

/**
 * Whether the answer of a condition is the same at each instant, as far as it is stored: it asks for
 * values of which only the latest is kept, and compares none with the moment.
 */
export function isTimeless(
  condition: Condition,
  context: Pick<ConditionContext, 'segments'>,
): boolean {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.every((child) => isTimeless(child, context));
    case 'not':
      return isTimeless(node.child, context);
    case 'segment': {
      const named = context.segments.get(node.leaf.segment);
      return named === undefined || isTimeless(named, context);
    }
    case 'fact':
      return leafOf(node.key).isOfNow && !isRelative(node.leaf);
  }
}

/** Whether a comparison, or a part of it, is with an instant before or after the moment. */
export function isRelative(comparison: object): boolean {
  return ['before', 'after'].some(
    (bound) => typeof (comparison as Readonly<Record<string, unknown>>)[bound] === 'object',
  );
}
