import type { FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { compileWhere, isOneOf, slugsOf } from './compile/named-event.ts';
import { createParameters } from './compile/parameters.ts';
import type { StatementParts } from './compile/statement-parts.ts';
import type { ConditionContext } from './condition-context.ts';

/** Events of a definition, as automations name them. */
export type NamedEvents = Pick<FollowingEvent, 'event' | 'where'>;

/** Where an event is stored. */
export type EventKey = {
  readonly requestId: string;
  readonly messageIndex: number;
  /** Milliseconds. */
  readonly receivedAt: number;
};

/** An event in the order of a person's events. */
export type EventPlace = {
  /** Milliseconds. */
  readonly time: bigint;
  readonly receivedAt: number;
  readonly messageId: string;
};

export type StoredEvent = EventKey &
  EventPlace & {
    readonly userId: string;
    readonly slug: string;
    readonly isProved: boolean;
    readonly attributes: Readonly<Record<string, unknown>> | null;
    readonly revenue: number | null;
    readonly currency: string | null;
  };

type Question = { readonly context: ConditionContext; readonly now: number };

const partsOf = ({ context, now }: Question): StatementParts => {
  const parameters = createParameters();
  const application = parameters.add(context.applicationId, 'uuid');
  return { shape: 'given', context, parameters, now, application, joins: [] };
};

/** Of some events, those of one definition with `where`, in any order. */
export const selectEvents = (
  sql: Sql,
  {
    named,
    ...question
  }: Question & { readonly named: NamedEvents; readonly keys: readonly EventKey[] },
): Promise<StoredEvent[]> => selectNamedEvents(sql, { ...question, named: [named] });

/** `named`: the places of those that name it. */
export type NamedStoredEvent = StoredEvent & { readonly named: readonly number[] };

/** Of some events, those that are named, in any order: one statement for all that name some. */
export async function selectNamedEvents(
  sql: Sql,
  {
    named,
    keys,
    ...question
  }: Question & {
    readonly named: readonly NamedEvents[];
    readonly keys: readonly EventKey[];
  },
): Promise<NamedStoredEvent[]> {
  if (named.length === 0 || keys.length === 0) return [];
  const parts = partsOf(question);
  const { add, values } = parts.parameters;
  const isSuch = named.map((each, place) => {
    const conditions = [
      isOneOf(parts, 'e.slug', slugsOf(parts, each)),
      ...compileWhere(parts, each.where),
    ];
    return `case when ${conditions.join(' and ')} then ${place} end`;
  });
  const { rows } = await sql.query<EventRow & { readonly named: readonly number[] }>(
    `select ${EVENT_COLUMNS}, n.named
     from unnest(
       ${add(
         keys.map(({ requestId }) => requestId),
         'uuid[]',
       )},
       ${add(
         keys.map(({ messageIndex }) => messageIndex),
         'int[]',
       )},
       ${add(
         keys.map(({ receivedAt }) => receivedAt),
         'float8[]',
       )}
     ) as k(request_id, message_index, received_ms)
       -- One look into the index of the key for each.
       cross join lateral (
         select *
         from events e
         where e.request_id = k.request_id and e.message_index = k.message_index
           and e.received_at = to_timestamp(k.received_ms / 1000.0)
         limit 1
       ) e
       -- Each condition is asked once of an event.
       cross join lateral (
         select array_remove(array[${isSuch.join(', ')}]::int[], null) as named offset 0
       ) n
     where e.user_id is not null and e.application_id = ${parts.application}
       and cardinality(n.named) > 0`,
    values,
  );
  return rows.map((row) => ({ ...toEvent(row), named: row.named }));
}

/** A person, and after and until when an event of theirs is looked for. */
export type EventSearch = {
  readonly userId: string;
  readonly after: EventPlace;
  /** Milliseconds, inclusive. */
  readonly until: number;
};

/**
 * The first event of each person after a place in their order, of one definition with `where`; null
 * where there is none. Events of all ids of a person count.
 * @param isProved whether only those count whose sender is known to speak for the person
 */
export async function firstEventsAfter(
  sql: Sql,
  {
    named,
    isProved,
    searches,
    ...question
  }: Question & {
    readonly named: NamedEvents;
    readonly isProved: boolean;
    readonly searches: readonly EventSearch[];
  },
): Promise<(EventPlace | null)[]> {
  const parts = partsOf(question);
  const { add, values } = parts.parameters;
  const column = <T>(of: (search: EventSearch) => T, type: string): string =>
    add(searches.map(of), type);
  // Not of the application, as the person is: before the first statistics Postgres would choose the index
  // that begins with it, and read all events of the definition for each person.
  const isSuch = [
    'e.user_id is not null',
    ...(isProved ? ['e.is_proved is true'] : []),
    ...compileWhere(parts, named.where),
  ].join(' and ');
  const { rows } = await sql.query<PlaceRow & { no: number }>(
    `select a.no::int as no, q.time::text as time,
       round(extract(epoch from q.received_at) * 1000)::float8 as received_ms, q.message_id
     from unnest(
       ${column(({ userId }) => userId, 'uuid[]')},
       ${column(({ after }) => String(after.time), 'bigint[]')},
       ${column(({ after }) => after.receivedAt, 'float8[]')},
       ${column(({ after }) => after.messageId, 'text[]')},
       ${column(({ until }) => until, 'bigint[]')}
     ) with ordinality as a(user_id, time, received_ms, message_id, until, no)
       cross join lateral (
         select e.time, e.received_at, e.message_id
         from (
             select p.id from users p where p.id = a.user_id and p.application_id = ${parts.application}
             union all
             select p.id
             from users p
             where p.merged_into = a.user_id and p.application_id = ${parts.application}
           ) p
           cross join unnest(${add([...new Set(slugsOf(parts, named))], 'text[]')}) as s(slug)
           cross join lateral (
             select e.time, e.received_at, e.message_id
             from events e
             where e.user_id = p.id and e.slug = s.slug
               and e.time >= a.time and e.time <= a.until
               and (e.time, e.received_at, e.message_id collate "C")
                 > (a.time, to_timestamp(a.received_ms / 1000.0), a.message_id collate "C")
               and ${isSuch}
             order by e.time, e.received_at, e.message_id collate "C"
             limit 1
           ) e
         order by e.time, e.received_at, e.message_id collate "C"
         limit 1
       ) q`,
    values,
  );
  const found = new Map(rows.map((row) => [row.no - 1, toPlace(row)]));
  return searches.map((_search, index) => found.get(index) ?? null);
}

type PlaceRow = {
  readonly time: string;
  readonly received_ms: number;
  readonly message_id: string;
};
type EventRow = PlaceRow & {
  readonly request_id: string;
  readonly message_index: number;
  readonly user_id: string;
  readonly slug: string;
  readonly is_proved: boolean;
  readonly attributes: string | null;
  readonly revenue: number | null;
  readonly currency: string | null;
};

const EVENT_COLUMNS = `e.request_id, e.message_index, e.user_id, e.slug, e.time::text as time,
  round(extract(epoch from e.received_at) * 1000)::float8 as received_ms, e.message_id,
  coalesce(e.is_proved, false) as is_proved, e.attributes::text as attributes, e.revenue, e.currency`;

const toPlace = (row: PlaceRow): EventPlace => ({
  time: BigInt(row.time),
  receivedAt: row.received_ms,
  messageId: row.message_id,
});

const toEvent = (row: EventRow): StoredEvent => ({
  ...toPlace(row),
  requestId: row.request_id,
  messageIndex: row.message_index,
  userId: row.user_id,
  slug: row.slug,
  isProved: row.is_proved,
  attributes:
    row.attributes === null
      ? null
      : (parseExactJson(row.attributes) as Readonly<Record<string, unknown>>),
  revenue: row.revenue,
  currency: row.currency,
});
