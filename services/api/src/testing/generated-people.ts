import { stringifyExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { randomFrom } from '@tidings/testing';

/** What a person did, under one of its ids, or a business did. */
export type DoneEvent = {
  readonly slug: string;
  readonly time: number;
  readonly price: unknown;
  readonly revenue: number | null;
  readonly currency: string | null;
};

export type GeneratedPerson = {
  /** Null: of events without a user. */
  readonly id: string | null;
  readonly customUserId: string | null;
  readonly isRegistered: boolean;
  readonly country: string | null;
  readonly plan: unknown;
  readonly events: readonly DoneEvent[];
};

/** Definitions, of which `seenx` means `viewd`, and only `order` is revenue. */
const SLUGS = ['viewd', 'seenx', 'cartd', 'order'] as const;
const LONG_NUMBER = 12_345_678_901_234_567n;
/** More than ten, of which two would be one as doubles. */
export const PRICES: readonly unknown[] = [
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  50.5,
  '50',
  true,
  { a: [1] },
  null,
  LONG_NUMBER,
  LONG_NUMBER + 1n,
];

/**
 * People of every kind, with events in `[from, to)` and at the given edges; the same for a seed. At
 * equal instants, and of merged users.
 */
export async function generatePeople(
  db: Database,
  {
    applicationId,
    seed,
    count,
    from,
    to,
    edges,
  }: {
    readonly applicationId: string;
    readonly seed: number;
    readonly count: number;
    readonly from: number;
    readonly to: number;
    readonly edges: readonly number[];
  },
): Promise<readonly GeneratedPerson[]> {
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => integer(16).toString(16)).join('');
  const uuid = (): string =>
    `${applicationId.slice(-8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const users: Record<string, unknown>[] = [];
  const stored: Record<string, unknown>[] = [];
  const people = Array.from({ length: count }, (_, index): GeneratedPerson => {
    const isNamed = next() < 0.85;
    const isBusiness = !isNamed && next() < 0.4;
    const id = isBusiness ? null : uuid();
    const others = isNamed && next() < 0.4 ? [uuid(), uuid()].slice(integer(2)) : [];
    const person = {
      id,
      customUserId: isNamed ? `user-${index}` : null,
      isRegistered: isNamed && next() < 0.9,
      country: isBusiness ? null : pick(['DE', 'AT', 'CH', null]),
      plan: isBusiness ? null : pick(['pro', 'free', 7, null]),
    };
    const instants = Array.from({ length: 4 }, () => from + integer(to - from));
    const events = Array.from({ length: integer(14) }, (): DoneEvent => {
      const slug = pick(SLUGS);
      const isPaid = slug === 'order';
      return {
        slug,
        time: pick([...instants, pick(instants) + 3_600_000, pick(edges), pick(edges) - 1]),
        price: isPaid ? null : pick(PRICES),
        revenue: isPaid ? integer(400) / 4 : null,
        currency: isPaid ? pick(['EUR', 'JPY']) : null,
      };
    });
    if (id !== null)
      users.push(
        {
          id,
          custom: person.customUserId,
          registered: person.isRegistered,
          merged: null,
          fields: person.country === null ? {} : { country: person.country },
          attributes: person.plan === null ? {} : { plan: person.plan },
        },
        ...others.map((other) => ({ id: other, merged: id, fields: {}, attributes: {} })),
      );
    stored.push(
      ...events.map((event) => ({ ...event, user: id === null ? null : pick([id, ...others]) })),
    );
    return { ...person, events };
  });
  const insert = (text: string, rows: readonly unknown[]) =>
    db.sql.query(text, [applicationId, stringifyExactJson(rows)]);
  await insert(
    `insert into definitions (application_id, slug, kind, name, origin, merged_into)
     select $1, slug, kind, 'name of ' || slug, 'auto', "into"
     from jsonb_to_recordset($2::jsonb) as x(slug text, kind text, "into" text)`,
    SLUGS.map((slug) => ({
      slug,
      kind: slug === 'order' ? 'revenue' : 'action',
      into: slug === 'seenx' ? 'viewd' : null,
    })),
  );
  await insert(
    `insert into users (id, application_id, custom_user_id, registered_at, merged_into, fields,
       custom_attributes)
     select id, $1, custom, case when registered then now() end, merged, fields, attributes
     from jsonb_to_recordset($2::jsonb)
       as x(id uuid, custom text, registered bool, merged uuid, fields jsonb, attributes jsonb)`,
    users,
  );
  await insert(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
       time, received_at, attributes, revenue, currency)
     select gen_random_uuid(), n, $1, "user", 'm' || n, 'action', slug, time,
       to_timestamp(time / 1000.0),
       case when slug <> 'order' then jsonb_build_object('price', price) end, revenue, currency
     from jsonb_to_recordset($2::jsonb) as x("user" uuid, slug text, time bigint, price jsonb,
       revenue float8, currency text, n int)`,
    stored.map((event, n) => ({ ...event, n })),
  );
  return people;
}

/** The definition that an event means. */
export const meantBy = (slug: string): string => (slug === 'seenx' ? 'viewd' : slug);
