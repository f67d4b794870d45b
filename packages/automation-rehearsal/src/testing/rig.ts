import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createSendingApplication, registerUsers } from '@tidings/testing';
import { writeAutomation } from '@tidings/automations/automations';
import { readRehearsal, requestRehearsal, type RehearsalRequest } from '../rehearsals.ts';
import { runNextRehearsal, type RehearsalTools } from '../run-rehearsal.ts';
import { HOUR_MS } from './agreement/history.ts';

export { HOUR_MS };
export { cart, event, mail } from './samples.ts';

export const DAY_MS = 24 * HOUR_MS;
/** Midnight in UTC, some days ago. */
const day = (ago: number): number => Math.floor(Date.now() / DAY_MS - ago) * DAY_MS;
export const PERIOD = { from: day(10), to: day(1) };

type Rehearsed = Awaited<ReturnType<Awaited<ReturnType<typeof rehearsalRig>>['rehearse']>>;

/** Who entered, when, and by what: in hours since an instant. */
export const enteredSince =
  (from: number) =>
  ({ traces }: Rehearsed) =>
    traces
      .map(({ customUserId, enteredAt, trigger: { at, eventId } }) => [
        customUserId,
        (enteredAt - from) / HOUR_MS,
        (Number(at) - from) / HOUR_MS,
        eventId,
      ])
      .toSorted((one, other) => String(one[0]).localeCompare(String(other[0])));

export type StoredEvent = {
  readonly of?: string;
  readonly name: string;
  /** Its own time, in milliseconds. */
  readonly at: number;
  readonly receivedAt?: number;
  readonly isProved?: boolean;
  readonly attributes?: object;
};

/** An application with stored events, whose automation is rehearsed. */
export async function rehearsalRig(db: Database, people: readonly string[] = ['ada']) {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(
    db,
    applicationId,
    Object.fromEntries(people.map((each) => [each, { email: `${each}@example.org` }])),
  );
  await db.sql.query(
    `update users set registered_at = now() - interval '90 days' where application_id = $1`,
    [applicationId],
  );
  const slugs = new Map<string, string>();
  for (const name of ['cartd', 'order', 'view']) {
    const made = await createDefinition(db, { applicationId, name, kind: 'action' });
    if (typeof made === 'string') throw new Error(`no definition: ${made}`);
    slugs.set(name, made.slug);
  }
  const tools: RehearsalTools = { clock: systemClock, signal: new AbortController().signal };
  return {
    applicationId,
    tools,
    async store(...events: readonly StoredEvent[]): Promise<void> {
      for (const { of = 'ada', name, at, receivedAt = at, isProved = true, attributes } of events)
        await db.sql.query(
          `insert into events (request_id, message_index, application_id, user_id, message_id, type,
             slug, time, received_at, is_proved, attributes)
           select $1::uuid, 0, $2, u.id, $1::uuid::text, 'action', $4, $5, to_timestamp($6::float8 / 1000), $7, $8
           from users u where u.application_id = $2 and u.custom_user_id = $3`,
          [
            systemIds.uuid(),
            applicationId,
            of,
            slugs.get(name),
            at,
            receivedAt,
            isProved,
            attributes ?? null,
          ],
        );
    },
    async segment(slug: string, condition: object): Promise<void> {
      await db.sql.query(
        `insert into segments (application_id, slug, name, condition, version, updated_by)
         values ($1, $2, $2, $3, 1, 'test')`,
        [applicationId, slug, condition],
      );
    },
    async profile(person: string, attributes: object, registeredAt?: number): Promise<void> {
      await db.sql.query(
        `update users
         set custom_attributes = custom_attributes || $3::jsonb,
           registered_at = coalesce(to_timestamp($4::float8 / 1000), registered_at)
         where application_id = $1 and custom_user_id = $2`,
        [applicationId, person, attributes, registeredAt ?? null],
      );
    },
    async write(definition: AutomationDefinition): Promise<void> {
      const written = await writeAutomation(db, {
        applicationId,
        slug: 'cart',
        definition,
        by: 'test',
      });
      if (typeof written === 'string' || 'errors' in written)
        throw new Error(`not written: ${JSON.stringify(written)}`);
    },
    request: (asked: Partial<RehearsalRequest> = {}) =>
      requestRehearsal(db, {
        applicationId,
        slug: 'cart',
        from: Date.now() - 24 * HOUR_MS,
        to: Date.now() - 1_000,
        by: 'test',
        ...asked,
      }),
    async requested(asked: Partial<RehearsalRequest> = {}): Promise<string> {
      const answer = await this.request(asked);
      if (typeof answer === 'string' || 'errors' in answer)
        throw new Error(`not requested: ${JSON.stringify(answer)}`);
      return answer.rehearsalId;
    },
    async read(rehearsalId: string) {
      const found = await readRehearsal(db.sql, { applicationId, rehearsalId });
      if (found === null) throw new Error('no such rehearsal');
      return found;
    },
    /** Runs what waits, in any application. */
    async run(overrides: Partial<RehearsalTools> = {}): Promise<void> {
      while (await runNextRehearsal(db, { ...tools, ...overrides }));
    },
    async rehearse(
      definition: AutomationDefinition,
      asked: Partial<RehearsalRequest> = {},
      overrides: Partial<RehearsalTools> = {},
    ) {
      await this.write(definition);
      const rehearsalId = await this.requested(asked);
      await this.run(overrides);
      return this.read(rehearsalId);
    },
  };
}
