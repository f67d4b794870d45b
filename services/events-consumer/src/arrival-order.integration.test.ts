import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { listUserEvents } from '@tidings/events/user-events';
import { updateApplication } from '@tidings/people/update-application';
import { readUser } from '@tidings/people/users';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
  type RecordApplier,
} from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import fc from 'fast-check';
import { applyEventMessages } from './apply-event-messages.ts';

const USERS: RecordApplier = { consumer: 'users', apply: applyUserMessages };
const EVENTS: RecordApplier = { consumer: 'events', apply: applyEventMessages };
const RECEIVED_AT = 1_700_000_000_000;

const db = connectTestDatabase();
afterAll(() => db.close());

/**
 * New ids for each order of arrival, also for messages, because message ids are unique per
 * application.
 */
type Scene = { readonly phone: string; readonly laptop: string; readonly tablet: string };
type Sent = Pick<IngestRecord, 'messages'> & Partial<IngestRecord>;

/**
 * Records of one person with every combination of ids, so that in the end all belong to the same
 * person. Both key types set the person's fields, at times independent of the order of arrival.
 */
const SCENES: readonly [string, (ids: Scene) => readonly Sent[]][] = [
  [
    'events by either id and a registration',
    ({ phone }) => [
      { customUserId: 'ada', messages: [userMessage({ time: 5, city: 'London' })] },
      { customUserId: 'ada', messages: [actionMessage({ id: 'own', time: 1 })] },
      { serviceUserId: phone, messages: [actionMessage({ id: 'phone', time: 2 })] },
      {
        customUserId: 'ada',
        serviceUserId: phone,
        messages: [actionMessage({ id: 'both', time: 3 })],
      },
    ],
  ],
  [
    'anonymous users with profiles that are merged into one person',
    ({ phone, laptop }) => [
      // Proved or not, depending on the ids joined at its arrival; no other message sets its
      // fields.
      {
        serviceUserId: phone,
        keyType: 'client',
        messages: [userMessage({ time: 9, hashedEmail: 'client', lastName: 'King' })],
      },
      {
        serviceUserId: laptop,
        messages: [
          userMessage({
            time: 1,
            email: 'server@example.com',
            city: 'Rome',
            customAttributes: null,
          }),
          actionMessage({ id: 'laptop', time: 1 }),
        ],
      },
      {
        customUserId: 'ada',
        serviceUserId: phone,
        messages: [userMessage({ time: 4, customAttributes: { a: 1, b: 2 } })],
      },
      {
        customUserId: 'ada',
        serviceUserId: laptop,
        messages: [actionMessage({ id: 'merging', time: 2 })],
      },
      {
        customUserId: 'ada',
        keyType: 'client',
        messages: [userMessage({ time: 8, city: null, phoneNumber: '020 7183 8750' })],
      },
    ],
  ],
  [
    'several serviceUserIds, a registration beside an event, and business events',
    ({ phone, laptop, tablet }) => [
      {
        customUserId: 'ada',
        serviceUserId: tablet,
        messages: [
          actionMessage({ id: 'first', time: 1 }),
          userMessage({ time: 2, firstName: 'Ada' }),
        ],
      },
      {
        customUserId: 'ada',
        serviceUserId: phone,
        messages: [actionMessage({ id: 'second', time: 2 })],
      },
      {
        serviceUserId: laptop,
        messages: [
          actionMessage({ id: 'third', time: 3 }),
          actionMessage({ id: 'fourth', time: 4, type: 'businessEvent' }),
        ],
      },
      {
        customUserId: 'ada',
        serviceUserId: laptop,
        messages: [userMessage({ time: 1, firstName: 'Augusta', lastName: 'King' })],
      },
      {
        customUserId: 'ada',
        messages: [actionMessage({ id: 'fifth', time: 5, type: 'businessEvent' })],
      },
    ],
  ],
];

/** A consumer and the record that it takes next. */
type Step = { readonly applier: RecordApplier; readonly record: number };

describe('in any order of arrival at either consumer', () => {
  test.each(SCENES)(
    '%s end with the same events and profile',
    async (_, scene) => {
      const count = scene(newIds()).length;
      const steps = [USERS, EVENTS].flatMap((applier) =>
        Array.from({ length: count }, (_item, record): Step => ({ applier, record })),
      );
      const expected = await arrive(scene, steps);

      expect(expected).toMatchObject({ hasUser: true });
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(steps, { minLength: steps.length }),
          fc.array(fc.boolean(), { minLength: steps.length, maxLength: steps.length }),
          async (order, joins) => {
            expect(await arrive(scene, order, joins)).toEqual(expected);
          },
        ),
        { numRuns: 20, seed: 20_260_101 },
      );
    },
    120_000,
  );
});

/**
 * Applies one order of arrival in a separate application, sometimes several consecutive records in
 * one transaction. Returns the visible state.
 */
async function arrive(
  scene: (ids: Scene) => readonly Sent[],
  order: readonly Step[],
  joins: readonly boolean[] = [],
): Promise<unknown> {
  const { applicationId } = await createTestApplication(db);
  await updateApplication(db, applicationId, { settings: { defaultCountry: 'GB' } });
  const ids = newIds();
  const records = scene(ids).map((sent) =>
    ingestRecord({ applicationId, receivedAt: RECEIVED_AT, ...sent }),
  );

  let batch: Step[] = [];
  const apply = async (): Promise<void> => {
    const [first] = batch;
    if (first !== undefined)
      await applyRecords(
        db,
        first.applier,
        batch.flatMap(({ record }) => records[record] ?? []),
      );
    batch = [];
  };
  for (const [index, step] of order.entries()) {
    if (batch[0]?.applier !== step.applier || joins[index] !== true) await apply();
    batch.push(step);
  }
  await apply();
  return seen(applicationId, records, ids);
}

async function seen(
  applicationId: string,
  records: readonly IngestRecord[],
  ids: Scene,
): Promise<unknown> {
  const user = await readUser(db, applicationId, 'ada');
  const { events } =
    user === null ? { events: [] } : await listUserEvents(db, user.userId, { limit: 100 });
  const reports = await Promise.all(
    records.map(({ requestId }) => readIngestReport(db, applicationId, requestId)),
  );
  const { rows } = await db.sql.query<{ e164: string | null }>(
    'select phone_e164 as e164 from users where id = $1',
    [user?.userId ?? null],
  );
  return {
    hasUser: user !== null,
    profile: user?.profile,
    e164: rows[0]?.e164,
    events: events.map(({ id, name, time }) => `${id} ${name} ${String(time)}`),
    devices: Object.entries(ids).flatMap(([name, id]) =>
      user?.serviceUserIds.includes(id) ? [name] : [],
    ),
    isComplete: reports.every((report) => report?.complete),
    // The reason why a value was skipped depends on the order; the outcome `processed` does not.
    outcomes: reports.map((report) => report?.messages.map(({ outcome }) => outcome)),
  };
}

function newIds(): Scene {
  return { phone: systemIds.uuid(), laptop: systemIds.uuid(), tablet: systemIds.uuid() };
}
