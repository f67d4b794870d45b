import { afterAll, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import { systemIds } from '@tidings/platform';
import {
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  propertyRuns,
  type RecordApplier,
} from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import fc from 'fast-check';
import { applyEventMessages } from './apply-event-messages.ts';

const USERS: RecordApplier = { consumer: 'users', apply: applyUserMessages };
const EVENTS: RecordApplier = { consumer: 'events', apply: applyEventMessages };
const TRANSACTIONS_AT_ONCE = 4;
const PEOPLE = 6;
const FIELDS = ['firstName', 'city'] as const;

const db = connectTestDatabase({ poolMax: 2 * TRANSACTIONS_AT_ONCE + 2 });
afterAll(() => db.close());

type Message = IngestRecord['messages'][number];
type Person = { readonly customUserId: string; readonly serviceUserId: string };

/**
 * Senders: a person with either id or both, so that some are anonymous at first and some for ever.
 */
const sender = fc.record({
  person: fc.nat(PEOPLE - 1),
  by: fc.constantFrom('customUserId', 'serviceUserId', 'both'),
});
type Sender = typeof sender extends fc.Arbitrary<infer T> ? T : never;

/**
 * The same fact has the same name and time from every sender, and an id per way of sending: both
 * duplicate rules apply.
 */
const eventOf = (by: Sender) =>
  fc.nat(40).map((fact): Message => {
    const customName = ['viewed', 'bought', 'viewed', ''][fact % 4] ?? '';
    return {
      type: 'action',
      id: `${classOf(by.by)}-${by.person}-${by.by}-${fact}`,
      time: fact,
      customName,
    };
  });
const classOf = (by: Sender['by']): string => (by === 'customUserId' ? 'C' : 'S');
const updateOf = () =>
  fc
    .record({
      field: fc.constantFrom(...FIELDS),
      value: fc.option(fc.constantFrom('x', 'y', 'z')),
      time: fc.nat(30),
    })
    .map(({ field, value, time }): Message => ({
      type: 'user',
      id: systemIds.uuid(),
      time,
      [field]: value,
    }));
const request = sender.chain((by) =>
  fc.record({
    sender: fc.constant(by),
    messages: fc.array(fc.oneof({ weight: 2, arbitrary: eventOf(by) }, updateOf()), {
      minLength: 1,
      maxLength: 6,
    }),
  }),
);
const traffic = fc.record({
  requests: fc.array(request, { minLength: 20, maxLength: 60 }),
  /** Records that the client sends again, as new requests with the same messages. */
  retried: fc.array(fc.nat(19), { maxLength: 10 }),
  seed: fc.integer(),
});

test('both consumers in parallel, in many small transactions in any order, end where one pass of the rules ends', async () => {
  await fc.assert(
    fc.asyncProperty(traffic, async ({ requests, retried, seed }) => {
      const { applicationId } = await createTestApplication(db);
      const people = Array.from({ length: PEOPLE }, (_, person) => ({
        customUserId: `person-${person}`,
        serviceUserId: systemIds.uuid(),
      }));
      const toRecord = ({
        sender: { person, by },
        messages,
      }: (typeof requests)[number]): IngestRecord =>
        ingestRecord({
          applicationId,
          receivedAt: 1_700_000_000_000,
          customUserId: by === 'serviceUserId' ? null : (people[person]?.customUserId ?? null),
          serviceUserId: by === 'customUserId' ? null : (people[person]?.serviceUserId ?? null),
          messages,
        });
      const records = [...requests, ...retried.flatMap((index) => requests[index] ?? [])].map(
        toRecord,
      );
      const delivered = shuffled([...records, ...records.slice(0, 10)], seed);

      await Promise.all([USERS, EVENTS].flatMap((applier) => deliver(applier, delivered)));

      expect(await stateOf(applicationId, { records, people })).toEqual(
        expectedState(records, people),
      );
    }),
    propertyRuns(25),
  );
}, 120_000);

/** Small concurrent transactions, each with a few consecutive records. */
function deliver(applier: RecordApplier, records: readonly IngestRecord[]): Promise<void>[] {
  const batches: IngestRecord[][] = [];
  for (let at = 0, size = 1; at < records.length; at += size, size = (size % 5) + 1)
    batches.push(records.slice(at, at + size));
  return Array.from({ length: TRANSACTIONS_AT_ONCE }, async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
      await applyRecords(db, applier, batch);
  });
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed >>> 0;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return items
    .map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

type State = {
  /** Registered users by customUserId. */
  readonly users: Readonly<
    Record<
      string,
      {
        readonly profile: unknown;
        readonly events: readonly string[];
        readonly hasServiceUserId: boolean;
      }
    >
  >;
  readonly eventCount: number;
  readonly outcomes: {
    readonly kept: number;
    readonly duplicate: number;
    readonly dropped: number;
    readonly pending: number;
  };
};

async function stateOf(
  applicationId: string,
  {
    records,
    people,
  }: { readonly records: readonly IngestRecord[]; readonly people: readonly Person[] },
): Promise<State> {
  const users: Record<string, State['users'][string]> = {};
  for (const { customUserId, serviceUserId } of people) {
    const user = await readUser(db, applicationId, customUserId);
    if (user === null) continue;
    const { events } = await listUserEvents(db, user.userId, { limit: 500 });
    users[customUserId] = {
      profile: user.profile,
      events: events
        .map(({ id, name, time }) => `${id.slice(0, 1)} ${name} ${String(time)}`)
        .sort(),
      hasServiceUserId: user.serviceUserIds.includes(serviceUserId),
    };
  }
  const { rows } = await db.sql.query<{ n: string }>(
    'select count(*) as n from events where application_id = $1',
    [applicationId],
  );
  const reports = await Promise.all(
    records.map(({ requestId }) => readIngestReport(db, applicationId, requestId)),
  );
  const outcomes = reports.flatMap(
    (report) => report?.messages.map(({ outcome }) => outcome) ?? ['pending'],
  );
  const count = (...of: string[]): number =>
    outcomes.filter((outcome) => of.includes(outcome)).length;
  return {
    users,
    eventCount: Number(rows[0]?.n),
    outcomes: {
      kept: count('processed', 'held'),
      duplicate: count('duplicate'),
      dropped: count('dropped'),
      pending: count('pending'),
    },
  };
}

/**
 * The rules of ingest (packages/contracts/README.md) in one pass over all messages, without clocks,
 * keys or rows.
 */
function expectedState(records: readonly IngestRecord[], people: readonly Person[]): State {
  const personOf = (record: IngestRecord): Person | undefined =>
    people.find(
      ({ customUserId, serviceUserId }) =>
        record.customUserId === customUserId || record.serviceUserId === serviceUserId,
    );
  const linked = new Set(
    records
      .filter(({ customUserId, serviceUserId }) => customUserId !== null && serviceUserId !== null)
      .map(personOf),
  );
  const sent = records.flatMap((record) =>
    record.messages.map((message) => ({ record, message, person: personOf(record) })),
  );

  const updates = new Map(
    sent.filter(({ message }) => message.type === 'user').map((item) => [item.message.id, item]),
  );
  const events = sent.filter(({ message }) => message.type !== 'user');
  const named = events.filter(
    ({ message }) => 'customName' in message && message.customName !== '',
  );
  const facts = new Map(
    named.map((item) => [`${item.message.id.slice(0, 4)} ${String(item.message.time)}`, item]),
  );

  const users: Record<string, State['users'][string]> = {};
  for (const person of people) {
    const isKnown = ({ record }: { readonly record: IngestRecord }): boolean =>
      personOf(record) === person && (record.customUserId !== null || linked.has(person));
    const own = [...updates.values()].filter(isKnown);
    if (!own.some(({ record }) => record.customUserId !== null)) continue;
    users[person.customUserId] = {
      profile: { ...newestFields(own.map(({ message }) => message)), customAttributes: {} },
      events: [...facts.values()]
        .filter(isKnown)
        .map(
          ({ message }) =>
            `${message.id.slice(0, 1)} ${'customName' in message ? String(message.customName) : ''} ${String(message.time)}`,
        )
        .sort(),
      hasServiceUserId: linked.has(person),
    };
  }
  const kept = updates.size + facts.size;
  const dropped = events.length - named.length;
  return {
    users,
    eventCount: facts.size,
    outcomes: { kept, duplicate: sent.length - kept - dropped, dropped, pending: 0 },
  };
}

function newestFields(updates: readonly Message[]): Record<string, unknown> {
  const byTime = updates
    .filter((message) => message.type === 'user')
    .sort((a, b) => Number(a.time) - Number(b.time) || (a.id < b.id ? -1 : 1));
  const values = new Map(
    byTime.flatMap((message) =>
      FIELDS.filter((field) => message[field] !== undefined).map((field) => [
        field,
        message[field],
      ]),
    ),
  );
  return Object.fromEntries([...values].filter(([, value]) => value !== null));
}
