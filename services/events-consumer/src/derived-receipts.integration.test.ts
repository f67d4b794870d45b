import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { deleteOldEvents } from '@tidings/events/due-events';
import { listIngestLog } from '@tidings/events/ingest-log/ingest-log';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { readUserFilter } from '@tidings/events/ingest-log/user-filter';
import { reopenReceipts, writeReceipts } from '@tidings/events/receipts';
import { takeRecords } from '@tidings/events/take-records';
import { systemClock, systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
  type RecordApplier,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';
import {
  applyEventsAsPreviousVersion,
  applyUsersAsPreviousVersion,
  deleteOldEventsAsPreviousVersion,
} from './testing/previous-receipts.ts';

// The previous version writes a receipt for each stored event; this one derives it.
const db = connectTestDatabase();
afterAll(() => db.close());

const VERSIONS = ['previous', 'present'] as const;
type Version = (typeof VERSIONS)[number];
const PAIRS = VERSIONS.flatMap((first) =>
  VERSIONS.map((second): [Version, Version] => [first, second]),
);

const CONSUMERS = {
  users: {
    previous: { consumer: 'users', apply: applyUsersAsPreviousVersion },
    present: { consumer: 'users', apply: applyUserMessages },
  },
  events: {
    previous: { consumer: 'events', apply: applyEventsAsPreviousVersion },
    present: { consumer: 'events', apply: applyEventMessages },
  },
} as const satisfies Record<string, Record<Version, RecordApplier>>;

/** An application with the registered user ada. */
async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({
      applicationId,
      customUserId: 'ada',
      messages: [actionMessage()],
      ...overrides,
    });
  const apply = (
    consumer: keyof typeof CONSUMERS,
    version: Version,
    ...records: readonly IngestRecord[]
  ) => applyRecords(db, CONSUMERS[consumer][version], records);
  await apply('users', 'present', record({ messages: [userMessage()] }));
  const rows = async <T extends object>(select: string, values: readonly unknown[]) =>
    (await db.sql.query<T>(select, [...values])).rows;
  return {
    applicationId,
    record,
    apply,
    /** The outcomes of all messages; the first is missing if some are not decided. */
    async outcomes({ requestId }: IngestRecord): Promise<string[]> {
      const report = await readIngestReport(db, applicationId, requestId);
      const texts = (report?.messages ?? []).map(textOf);
      return report?.complete === true ? texts : ['incomplete', ...texts];
    },
    async receipts({ requestId }: IngestRecord): Promise<string[]> {
      return (
        await rows<{ outcome: string; reason: string | null }>(
          'select outcome, reason from receipts where request_id = $1 order by message_index',
          [requestId],
        )
      ).map(textOf);
    },
    async logOf(customUserId: string): Promise<string[]> {
      const userFilter = await readUserFilter(db.sql, applicationId, customUserId);
      const { items } = await listIngestLog(db, { applicationId, limit: 50, userFilter });
      return items.flatMap((entry) => ('id' in entry ? entry.id : []));
    },
    /** Every receipt and event of the application. */
    state: () =>
      rows(
        `select to_jsonb(r) as row from receipts r where application_id = $1
         union all select to_jsonb(e) from events e where application_id = $1 order by 1`,
        [applicationId],
      ),
    async count(from: string): Promise<number> {
      const [row] = await rows<{ n: number }>(
        `select count(*)::int as n from ${from} and application_id = $1`,
        [applicationId],
      );
      return row?.n ?? -1;
    },
    remove: (customUserId = 'ada') =>
      deleteUser(db, { applicationId, customUserId, clock: systemClock, rowsPerStep: 2 }),
    async expire(version: Version): Promise<void> {
      const due = { applicationId, before: new Date(Date.now() + 60_000) };
      await db.transaction(async (sql) => {
        if (version === 'previous') await deleteOldEventsAsPreviousVersion(sql, due);
        else await deleteOldEvents(sql, { ...due, limit: 100 });
      });
    },
  };
}

function textOf({
  outcome,
  reason,
}: {
  readonly outcome: string;
  readonly reason?: string | null | undefined;
}): string {
  return reason === undefined || reason === null ? outcome : `${outcome} ${reason}`;
}

describe('a stored event', () => {
  test.each<[string, Partial<IngestRecord>]>([
    ['of a registered user', {}],
    [
      'without a user',
      { customUserId: null, messages: [actionMessage({ type: 'businessEvent' })] },
    ],
  ])('%s has no receipt of its own, and is processed', async (_, sent) => {
    const { record, apply, outcomes, receipts } = await newTenant();
    const stored = record(sent);

    await apply('events', 'present', stored);

    expect(await receipts(stored)).toEqual([]);
    expect(await outcomes(stored)).toEqual(['processed']);
  });

  test('of a user who is known by a serviceUserId, also of a merged one, has none', async () => {
    const { record, apply, outcomes, receipts } = await newTenant();
    const [merged, joined] = [systemIds.uuid(), systemIds.uuid()];
    await apply('events', 'present', record({ customUserId: null, serviceUserId: merged }));
    await apply('events', 'present', record({ serviceUserId: merged }));
    await apply('events', 'present', record({ serviceUserId: joined }));

    for (const serviceUserId of [merged, joined]) {
      const stored = record({ customUserId: null, serviceUserId });
      await apply('events', 'present', stored);

      expect(await receipts(stored)).toEqual([]);
      expect(await outcomes(stored)).toEqual(['processed']);
    }
  });

  test('that is held has one, until its user registers and after that', async () => {
    const { record, apply, outcomes, receipts } = await newTenant();
    const held = record({ customUserId: 'eve' });

    await apply('events', 'present', held);
    expect(await receipts(held)).toEqual(['stored']);
    expect(await outcomes(held)).toEqual(['held unregistered_user']);
    await apply('users', 'present', record({ customUserId: 'eve', messages: [userMessage()] }));

    expect(await outcomes(held)).toEqual(['processed']);
  });

  test('with a remark has one, and so has each message that is not stored', async () => {
    const { record, apply, outcomes, receipts } = await newTenant();
    const first = actionMessage();
    const unproved = record({ keyType: 'client', serviceUserId: systemIds.uuid() });
    const rejected = record({ messages: [first, first, actionMessage({ customName: ' ' })] });

    await apply('events', 'present', unproved, rejected);

    expect(await receipts(unproved)).toEqual(['stored identity_unproved']);
    expect(await outcomes(unproved)).toEqual(['processed identity_unproved']);
    expect(await receipts(rejected)).toEqual(['duplicate duplicate_id', 'dropped empty_name']);
    expect(await outcomes(rejected)).toEqual([
      'processed',
      'duplicate duplicate_id',
      'dropped empty_name',
    ]);
  });
});

describe.each(PAIRS)(
  'the users consumer is the %s version, the events consumer the %s',
  (...versions) => {
    const [users, events] = versions;
    const messages = () => [userMessage(), actionMessage(), actionMessage({ customName: ' ' })];
    const SETTLED = ['processed', 'processed', 'dropped empty_name'];

    test.each<[string, readonly (keyof typeof CONSUMERS)[], readonly string[]]>([
      ['users', ['users', 'events'], ['processed', 'pending', 'pending']],
      ['events', ['events', 'users'], ['pending', 'processed', 'dropped empty_name']],
    ])(
      'the outcomes are the same where the %s consumer is first, and a redelivery changes no row',
      async (_, order, between) => {
        const { record, apply, outcomes, count, state } = await newTenant();
        const sent = record({ messages: messages() });
        const version = { users, events };

        for (const [index, consumer] of order.entries()) {
          await apply(consumer, version[consumer], sent);
          expect(await outcomes(sent)).toEqual(index === 0 ? ['incomplete', ...between] : SETTLED);
        }
        const before = await state();
        for (const consumer of order) await apply(consumer, version[consumer], sent);

        expect(await state()).toEqual(before);
        expect(await count('events where true')).toBe(1);
      },
    );

    test('an event whose own request registers the user is pending until then', async () => {
      const { record, apply, outcomes } = await newTenant();
      const sent = record({ customUserId: 'eve', messages: [actionMessage(), userMessage()] });

      await apply('events', events, sent);
      expect(await outcomes(sent)).toEqual(['incomplete', 'pending', 'pending']);
      await apply('users', users, sent);

      expect(await outcomes(sent)).toEqual(['processed', 'processed']);
    });
  },
);

test('the users consumer writes no receipt for an event that is stored', async () => {
  const { record, apply, receipts } = await newTenant();
  const sent = record({ messages: [userMessage(), actionMessage()] });

  await apply('events', 'present', sent);
  await apply('users', 'present', sent);

  expect(await receipts(sent)).toEqual(['processed']);
});

// The previous version deletes users by the same statements.
describe.each(VERSIONS)('what the %s version stored, and is deleted with its user', (stores) => {
  test('keeps the outcomes in the log, and names no user', async () => {
    const { record, apply, outcomes, count, remove, logOf } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const [alone, mixed, unproved, merged] = [
      record(),
      record({ messages: [userMessage(), actionMessage(), actionMessage({ customName: ' ' })] }),
      record({ keyType: 'client', serviceUserId: systemIds.uuid() }),
      record({ customUserId: null, serviceUserId }),
    ];
    await apply('users', stores, mixed);
    await apply('events', stores, alone, mixed, unproved, merged, record({ serviceUserId }));
    expect(await logOf('ada')).toHaveLength(7);

    await remove();

    expect([await outcomes(alone), await outcomes(merged)]).toEqual([['processed'], ['processed']]);
    expect(await outcomes(mixed)).toEqual(['processed', 'processed', 'dropped empty_name']);
    expect(await outcomes(unproved)).toEqual(['processed identity_unproved']);
    expect(await count('receipts where user_id is not null')).toBe(0);
    expect(await count('events where true')).toBe(0);
  });

  test('reads dropped if it was held', async () => {
    const { record, apply, outcomes, remove } = await newTenant();
    const held = record({ customUserId: 'eve' });
    await apply('events', stores, held);

    await remove('eve');

    expect(await outcomes(held)).toEqual(['dropped unregistered_user']);
  });

  test('leaves no receipt of a request that the log has no more', async () => {
    const { record, apply, count, remove, applicationId } = await newTenant();
    await apply('events', stores, record());
    for (const table of ['ingest_requests', 'receipts'])
      await db.sql.query(`delete from ${table} where application_id = $1`, [applicationId]);

    await remove();

    expect(await count('receipts where true')).toBe(0);
  });
});

describe.each(PAIRS)(
  'what the %s version stored, and the %s version deletes after the retention of its application',
  (...versions) => {
    const [stores, deletes] = versions;

    test('stays in the log', async () => {
      const { record, apply, outcomes, count, expire } = await newTenant();
      const [alone, mixed] = [record(), record({ messages: [userMessage(), actionMessage()] })];
      await apply('users', stores, mixed);
      await apply('events', stores, alone, mixed, record({ customUserId: 'eve' }));

      await expire(deletes);

      expect(await count('events where true')).toBe(0);
      expect(await outcomes(alone)).toEqual(['processed']);
      expect(await outcomes(mixed)).toEqual(['processed', 'processed']);
    });
  },
);

test('an event past the retention of its application stays in the log of its user', async () => {
  const { record, apply, logOf, expire } = await newTenant();
  const [alone, mixed] = [actionMessage(), actionMessage()];
  const sent = record({ messages: [userMessage({ id: 'u1' }), mixed] });
  await apply('users', 'present', sent);
  await apply('events', 'present', record({ messages: [alone] }), sent);
  const before = await logOf('ada');
  expect(before).toEqual(expect.arrayContaining([alone.id, mixed.id, 'u1']));

  await expire('present');

  expect(await logOf('ada')).toEqual(before);
});

test('an event of a replayed dead letter is processed', async () => {
  const { record, outcomes } = await newTenant();
  const sent = record();
  await db.transaction(async (sql) => {
    await takeRecords(sql, 'events', [sent]);
    await writeReceipts(sql, [
      { record: sent, receipts: [{ outcome: 'dropped', reason: 'dead_letter' }] },
    ]);
  });
  expect(await outcomes(sent)).toEqual(['dropped dead_letter']);

  await db.transaction(async (sql) => {
    expect(await reopenReceipts(sql, sent, ['action'])).toBe(1);
    await applyEventMessages(sql, [sent]);
  });

  expect(await outcomes(sent)).toEqual(['processed']);
});
