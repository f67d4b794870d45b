import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { stringifyExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createTestApplication, randomFrom } from '@tidings/testing';

/** What a person did, under one of its ids. */
export type ShopEvent = {
  readonly userId: string;
  readonly slug: string;
  readonly time: number;
  readonly price: number | bigint | string | null;
};

/** A visitor of a shop. */
export type ShopPerson = {
  readonly id: string;
  readonly customUserId: string | null;
  readonly isRegistered: boolean;
  readonly mergedIds: readonly string[];
  readonly country: string | null;
  readonly events: readonly ShopEvent[];
};

export type Shop = {
  readonly applicationId: string;
  readonly persons: readonly ShopPerson[];
};

const SLUGS = ['viewd', 'seenx', 'cartd', 'order'];
/** A definition that means another one. */
const MERGED_INTO: Readonly<Record<string, string>> = { seenx: 'viewd' };
/** Numbers whose double would be another one. */
export const PRICES = [
  1,
  50,
  50.5,
  '50',
  12_345_678_901_234_568,
  12_345_678_901_234_567n,
  null,
] as const;

/** An application with persons of every kind, whose events lie in few hours; the same for a seed. */
export async function createShop(
  db: Database,
  { seed, now, count }: { readonly seed: number; readonly now: number; readonly count: number },
): Promise<Shop> {
  const { applicationId } = await createTestApplication(db);
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => integer(16).toString(16)).join('');
  // Tests with the same seed share a database.
  const uuid = (): string =>
    `${applicationId.slice(-8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const persons = Array.from({ length: count }, (_, index): ShopPerson => {
    const id = uuid();
    const isNamed = next() < 0.9;
    const mergedIds = isNamed && next() < 0.3 ? [uuid(), uuid()].slice(integer(2)) : [];
    const instants = Array.from({ length: 4 }, () => now - integer(HOURS * 3_600_000));
    return {
      id,
      customUserId: isNamed ? `user-${index}` : null,
      isRegistered: isNamed && next() < 0.9,
      mergedIds,
      country: next() < 0.8 ? pick(['DE', 'AT', 'CH']) : null,
      events: Array.from({ length: integer(9) }, () => ({
        userId: pick([id, ...mergedIds]),
        slug: pick(SLUGS),
        // Equal times, exact distances, and what lies ahead.
        time: pick([
          ...instants,
          pick(instants) + HOUR_MS,
          pick(instants) + HOUR_MS + 1,
          now,
          now + 1,
        ]),
        price: pick(PRICES),
      })),
    };
  });
  await insertShop(db, { applicationId, persons });
  return { applicationId, persons };
}

export const HOUR_MS = 3_600_000;
export const HOURS = 6;

/** Adds persons and their events to an application without any. */
export async function insertShop(db: Database, { applicationId, persons }: Shop): Promise<void> {
  const insert = (text: string, rows: readonly unknown[]) =>
    db.sql.query(text, [applicationId, stringifyExactJson(rows)]);
  await insert(
    `insert into definitions (application_id, slug, kind, name, origin, discarded, merged_into)
     select $1, slug, 'action', 'name of ' || slug, 'auto', false, "into"
     from jsonb_to_recordset($2::jsonb) as x(slug text, "into" text)`,
    SLUGS.map((slug) => ({ slug, into: MERGED_INTO[slug] ?? null })),
  );
  await insert(
    `insert into users (id, application_id, custom_user_id, registered_at, merged_into, fields)
     select id, $1, custom, case when registered then now() end, merged, fields
     from jsonb_to_recordset($2::jsonb)
       as x(id uuid, custom text, registered bool, merged uuid, fields jsonb)`,
    persons.flatMap((person) => [
      {
        id: person.id,
        custom: person.customUserId,
        registered: person.isRegistered,
        merged: null,
        fields: person.country === null ? {} : { country: person.country },
      },
      ...person.mergedIds.map((id) => ({
        id,
        custom: null,
        registered: false,
        merged: person.id,
        fields: {},
      })),
    ]),
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
       time, received_at, attributes)
     select gen_random_uuid(), n, $1, "userId", 'm' || n, 'action', slug, time, now(),
       jsonb_build_object('price', price)
     from jsonb_to_recordset($2::jsonb)
       as x("userId" uuid, slug text, time bigint, price jsonb, n int)`,
    [
      applicationId,
      stringifyExactJson(
        persons.flatMap(({ events }) => events).map((event, n) => ({ ...event, n })),
      ),
    ],
  );
}

/** A range in the hours of a shop. Often one that begins or ends at the very instant of an event. */
export function drawRange(
  { persons }: Shop,
  { next, now }: { readonly next: () => number; readonly now: number },
): { readonly from: number; readonly to: number } {
  const drawnMs = (): number => Math.floor(next() * HOURS * HOUR_MS);
  const instantAfter = (after: number): number | undefined => {
    const times = persons
      .flatMap(({ events }) => events.map(({ time }) => time))
      .filter((time) => time > after);
    return next() < 0.5 ? times[Math.floor(next() * times.length)] : undefined;
  };
  const from = instantAfter(0) ?? now - drawnMs();
  return { from, to: instantAfter(from) ?? from + 1 + drawnMs() };
}

/** Whether an event matches a step, in plain code. Steps of a shop compare prices alone. */
export function matchesStep(event: ShopEvent, step: FunnelStep): boolean {
  const named = typeof step.event === 'string' ? step.event : step.event.name.slice(-5);
  const target = (slug: string): string => MERGED_INTO[slug] ?? slug;
  if (target(event.slug) !== target(named)) return false;
  return (step.where ?? []).every(({ gt, is }) => {
    if (gt !== undefined)
      return ['number', 'bigint'].includes(typeof event.price) && Number(event.price) > gt;
    return event.price === is;
  });
}
